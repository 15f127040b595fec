/** The JSON of rows that never change, cached by their first answer. */
export interface Encoded {
  body?: string | Buffer
  etag?: string
}

/** The requested page and order of a list. */
export interface Paging {
  readonly page: number
  readonly per_page: number
  readonly limit: number
  readonly offset: number
  readonly order_by: string
  readonly sort: 'asc' | 'desc'
  readonly keyset: boolean
}

/** One page of a list. `total` is missing for lists that are not counted, and for keyset pages. */
export interface Rows<Row> {
  readonly rows: readonly Row[]
  readonly total?: number | undefined
  /** The query parameters of the next page, for lists with a page token (trees, branches). */
  readonly next?: Readonly<Record<string, string>> | undefined
  /** True for the complete list, which has no paging headers. */
  readonly whole?: boolean | undefined
  /** The cache of the answer's JSON, for rows that never change because an object id identifies them. */
  readonly encoded?: Encoded | undefined
}
