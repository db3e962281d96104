// What `recall --help` says.

/** The help text, ending in a line feed. */
export const HELP = `recall: what was said, done and learned in past Sessions

  recall [OPTIONS] TERM…           ranked passages that hold a term
  recall more ANCHOR               more of the turn around a passage
  recall material ID [-o FILE]     an attached file: its text, or an image to FILE
  recall threads QUERY             the search of the app: newest Session first
  recall stats                     reads ahead, and says what that keeps
  recall -- more                   searches for the word "more"

Search
  -n, --limit N      at most N passages (1 to 25, default 8)
      --session ID   only this Session
      --since D      not before D
      --until D      not after D
      --archived     archived Sessions too
      --explain      show how each score came about
More
      --before N, --after N   messages on each side (0 to 8, default 8)
Material
  -o FILE            write to FILE; - is standard output
      --force        overwrite FILE
Threads
  -n, --limit N      at most N results (default 5)
More, Material and Threads
      --archived     archived Sessions too
Everywhere
      --root DIR     the workspace: the folder that holds runtime.sqlite
      --json         print the result for a program
  -h, --help         this text
  -V, --version      the version

A TERM matches literally, wherever it stands, in any case: no wildcards, no
word forms. Several terms are several chances: a message that holds more of
them, or rarer ones, ranks higher. A phrase is one quoted term.
D is a local day (2026-09-01, the whole day), ISO 8601 (2026-09-01T14:30) or
epoch milliseconds. The workspace is read, never written; SQLite may leave an
empty -wal and a -shm beside its files, as after any reader.

Exit status: 0 found, 1 nothing found, 2 error. Colours obey NO_COLOR and
FORCE_COLOR.
`
