/** What a turn of work came to: to be taken up again after so many milliseconds, or over. */
export interface Outcome {
  readonly again?: number | undefined
  readonly now: string
}

/** Thrown by a step that waits for the other instance. */
export class Later extends Error {
  readonly ms: number

  constructor(ms: number) {
    super('It is not ready yet.')
    this.name = 'Later'
    this.ms = ms
  }
}

/** Thrown by a step that has waited long enough. */
export class TooLate extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'TooLate'
  }
}
