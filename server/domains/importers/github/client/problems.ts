/** The other host asks for patience. */
export class HostWaits extends Error {
  /** When to ask again, ISO 8601. */
  readonly until: string

  constructor(until: string) {
    super(`The other host asks to wait until ${until}.`)
    this.name = 'HostWaits'
    this.until = until
  }
}

/** The other host refused, or could not be understood. */
export class HostProblem extends Error {
  /** Its status; 0 where it gave none. */
  readonly status: number

  constructor(status: number, sentence: string) {
    super(sentence)
    this.name = 'HostProblem'
    this.status = status
  }

  /** True where asking again later may help: it is broken, or cannot be reached. */
  get isPassing(): boolean {
    return this.status === 0 || this.status >= 500
  }
}
