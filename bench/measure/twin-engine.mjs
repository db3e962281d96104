// The twin in the shape of the addon. It keeps nothing between calls.

export { twinRecall as recall } from '../twin/index.js'
