// The host's own search: plain JavaScript that reads every Session through the
// callbacks, folds, redacts, ranks and cuts.

export { expandRecallPassage, fetchRecallMaterial, runRecall, runThreadSearch } from '../../bench/twin/index.js'
