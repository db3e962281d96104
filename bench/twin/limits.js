// Every constant of the contract. Sizes are bytes of UTF-8 unless another unit is named.

export const MAX_TERMS = 8
export const MAX_TERM_CODE_POINTS = 500
export const MAX_QUESTION_CODE_POINTS = 500
export const MAX_ID_UNITS = 256
export const DEFAULT_LIMIT = 8
export const MAX_LIMIT = 25
/** The host's cap on Sessions, used where the host's own function name is kept. */
export const HOST_SESSION_CAP = 200

/** The redacted text of a tool result is matched up to here. */
export const TOOL_RESULT_BYTES = 10_240
export const MESSAGE_TEXT_BYTES = 4_096
export const PASSAGE_BYTES = 12_288
export const ENVELOPE_BYTES = 98_304
/** Visible neighbours on each side of an anchor. */
export const NEIGHBOURS = 4
export const MORE_NEIGHBOURS = 8
export const MAX_MATCHES = 32
export const MESSAGE_MATERIALS = 8
export const TURN_MATERIALS = 8
export const ENVELOPE_MATERIALS = 64
export const MAX_FACTS = 10

/** BM25: term saturation, length normalisation, weight of a tool result. */
export const K1 = 1.2
export const B = 0.75
export const TOOL_RESULT_WEIGHT = 0.5

export const MAX_ATTACHMENT_BYTES = 52_428_800
export const MAX_TEXT_MATERIAL_BYTES = 10 * 1024 * 1024

/** Results of these tools are never searched: they would echo every search. */
export const ECHO_TOOLS = new Set(['Recall', 'RecallMore', 'RecallMaterial', 'SearchHistory', 'ReadHistory'])
export const SEARCHABLE_TYPES = new Set(['user', 'assistant', 'tool_call', 'tool_result'])

/** What stands for cut text, and for a secret. */
export const MARK = '…'
export const REDACTED = '[redacted]'

/** The modal's search. */
export const THREAD_DEFAULT_LIMIT = 5
export const THREAD_MAX_LIMIT = 10
export const SNIPPET_CODE_POINTS = 240
export const SNIPPET_CONTEXT_UNITS = 80
