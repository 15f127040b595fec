/** The JSON of rows that never change, kept by whoever keeps the rows; the first answer fills it. */
export interface Encoded {
  body?: Buffer
  etag?: string
}

/** One page of a list. `total` is missing for lists that are not counted, and for keyset pages. */
export interface Rows<Row> {
  readonly rows: readonly Row[]
  readonly total?: number | undefined
  /** For lists that page by a token of their own (trees, branches): the parameters of the next page. */
  readonly next?: Readonly<Record<string, string>> | undefined
  /** The whole list, which the caller asked for: no paging headers. */
  readonly whole?: boolean | undefined
  /** Where the rows and what shows them never change (an object id names them). */
  readonly encoded?: Encoded | undefined
}
