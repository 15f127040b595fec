import type { Readable } from 'node:stream'

import type { Rows } from '../db/rows.ts'
import type { Entity, PresentedRow } from './entity.ts'

export type { Paging, Rows } from '../db/rows.ts'

/** An answer that is not JSON. */
export interface RawAnswer {
  readonly type: string
  readonly body: string | Buffer | Readable
  readonly headers?: Readonly<Record<string, string>>
  /** The length in bytes, if it is known. */
  readonly length?: number
  readonly status?: number
}

/** The orders and the paging that a list supports. */
export interface ListOptions {
  readonly order_by?: readonly [string, ...string[]]
  /** The default order; by default the first of `order_by`. */
  readonly order?: string
  readonly sort?: 'asc' | 'desc'
  /** The values of `order_by` for which the list supports keyset paging. */
  readonly keyset?: readonly string[]
  /** The type of the rows in the error for an offset above 50,000 (spec core 8.5). Without it the offset has no limit. */
  readonly type?: string
  /** `none`: the answer has all rows and no paging headers. Default `offset`. */
  readonly paging?: 'offset' | 'none'
  /** The maximum number of rows on a page; default 100. */
  readonly maxPerPage?: number
}

/** The answer of an endpoint. `Out` is what `run` returns. */
export interface Returns<Out = unknown> {
  readonly kind: 'entity' | 'page' | 'empty' | 'message' | 'raw' | 'value'
  readonly status: number
  readonly entity?: Entity<never, unknown>
  readonly list?: ListOptions
  /** Carries `Out` for the type checker. The property is never set. */
  readonly out?: (out: Out) => void
}

type RowOf<E> =
  E extends Entity<infer Row, unknown> ? (Row extends PresentedRow<never> ? PresentedRow : Row) : never

/** 200 with one record. */
export function ok<E extends Entity<never, unknown>>(view: E): Returns<RowOf<E>> {
  return { kind: 'entity', status: 200, entity: view }
}

/** 201 with the created record. */
export function created<E extends Entity<never, unknown>>(view: E): Returns<RowOf<E>> {
  return { kind: 'entity', status: 201, entity: view }
}

/** 200 with one page of records and the paging headers. */
export function page<E extends Entity<never, unknown>>(
  view: E,
  list: ListOptions = {},
): Returns<Rows<RowOf<E>>> {
  return { kind: 'page', status: 200, entity: view, list }
}

/** 204 without a body. */
export const noContent: Returns<void> = { kind: 'empty', status: 204 }

/** 202 `{"message":"202 Accepted"}`: the work continues in the background. */
export const accepted: Returns<void> = { kind: 'message', status: 202 }

/** Bytes, text or a stream. */
export const raw: Returns<RawAnswer> = { kind: 'raw', status: 200 }
