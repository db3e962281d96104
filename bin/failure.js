// What ends a run of the command line with a message instead of an answer.

/** The caller can mend it: a wrong argument, no workspace, a file in the way. */
export class Failure extends Error {
  /** @param {string} message one sentence: what, for which thing, and what to do */
  constructor(message) {
    super(message)
    this.name = 'Failure'
  }
}

/** A wrong command line: the message is followed by a pointer to `--help`. */
export class UsageFailure extends Failure {
  /** @param {string} message what is wrong with which argument */
  constructor(message) {
    super(message)
    this.name = 'UsageFailure'
  }
}
