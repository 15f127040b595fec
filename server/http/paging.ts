import { Failure } from '../lib/fail.ts'
import type { Shape } from './endpoint.ts'
import type { Param } from './param.ts'
import { choice, int, text } from './params.ts'
import type { ListOptions, Paging, Rows } from './returns.ts'

/** Lists longer than this are not counted (spec core 8.5); stores count up to one more. */
export const MAX_COUNT = 10_000
/** Lists that support keyset paging require it when `page × per_page` is greater than this. */
export const MAX_OFFSET = 50_000

const pageParam = int({ min: 1 }).optional().describe('Page of the list, from 1')
// Values above 100 count as 100; 0 has an error sentence of its own (spec core 8.2).
const perPageParam = int({ min: 1, not: [0] })
  .optional()
  .describe('Rows on a page, at most 100 (default 20)')
const paginationParam = text().optional().describe('`keyset` for keyset paging where the list offers it')
const sortParam = choice('asc', 'desc').optional().describe('Direction of the order')

/** The paging parameters of a list endpoint. */
export function pagingParams(list: ListOptions): Shape {
  if (list.paging === 'none') return {}
  const shape: Record<string, Param<unknown>> = {
    page: pageParam,
    per_page: perPageParam,
    pagination: paginationParam,
  }
  if (list.order_by) {
    shape['order_by'] = choice(...list.order_by)
      .optional()
      .describe(`The order of the list (default ${list.order ?? list.order_by[0]})`)
    shape['sort'] = sortParam
  }
  return shape
}

/**
 * Reads the paging parameters. Throws 405 for keyset paging that the list or order does not support, and for an offset
 * that is too large.
 */
export function readPaging(list: ListOptions, params: Readonly<Record<string, unknown>>): Paging {
  const page = (params['page'] as number | undefined) ?? 1
  const per_page = Math.min((params['per_page'] as number | undefined) ?? 20, list.maxPerPage ?? 100)
  const order_by = (params['order_by'] as string | undefined) ?? list.order ?? list.order_by?.[0] ?? 'id'
  const sort = (params['sort'] as 'asc' | 'desc' | undefined) ?? list.sort ?? 'desc'
  const keyset = params['pagination'] === 'keyset'
  if (keyset && !list.keyset?.includes(order_by)) throw noKeysetPaging()
  if (!keyset && list.type && page * per_page > MAX_OFFSET) {
    const error = `Offset pagination has a maximum allowed offset of ${MAX_OFFSET} for requests that return objects of type ${list.type}. Remaining records can be retrieved using keyset pagination.`
    throw new Failure('not_allowed', undefined, { body: { error } })
  }
  // One extra row shows whether there is a next page.
  const limit = keyset ? per_page + 1 : per_page
  return { page, per_page, limit, offset: keyset ? 0 : (page - 1) * per_page, order_by, sort, keyset }
}

/** The failure (405) of keyset paging for a list, order or caller that it does not support (spec core 8.6). */
export function noKeysetPaging(): Failure {
  return new Failure('not_allowed', undefined, {
    body: { error: 'Keyset pagination is not yet available for this type of request' },
  })
}

/** The data of a request that paging headers need. */
export interface PageRequest {
  /** Absolute address without the query. */
  readonly address: string
  /** Raw query string. */
  readonly query: string
  /** Path parameters, which the links repeat. */
  readonly path: Readonly<Record<string, string>>
}

/** The address of the request with some query parameters replaced. */
function linkTo(request: PageRequest, changes: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(request.query)
  for (const [name, value] of Object.entries(request.path)) query.set(name, value)
  for (const [name, value] of Object.entries(changes)) query.set(name, value)
  // Links must not repeat a token of the query.
  for (const name of ['private_token', 'access_token', 'job_token', 'page_ticket']) query.delete(name)
  return `${request.address}?${query.toString()}`
}

/** Clients refuse answers with more than 16 kB of headers. */
const MAX_LINK = 12_000

/**
 * The `Link` header. Each link repeats the whole query. When the links are too long together, some are left out; the link
 * to the next page has priority.
 */
function linkHeader(links: readonly string[]): Record<string, string> {
  const [prev, next, first, last] = links
  const included = new Set<string>()
  let length = 0
  for (const link of [next, prev, first, last]) {
    if (!link || length + link.length > MAX_LINK) continue
    included.add(link)
    length += link.length + 2
  }
  return included.size === 0 ? {} : { Link: links.filter((link) => included.has(link)).join(', ') }
}

/** The headers of one page (spec core 8.5 and 8.6). */
export function pageHeaders(
  request: PageRequest,
  paging: Paging,
  rows: Rows<unknown>,
  count: number,
): Record<string, string> {
  if (rows.whole) return {}
  if (paging.keyset || rows.next) return keysetHeaders(request, rows)
  const { page, per_page } = paging
  const isCounted = rows.total !== undefined && rows.total <= MAX_COUNT
  const pages = isCounted ? Math.max(Math.ceil(rows.total! / per_page), 1) : undefined
  const hasNext = pages === undefined ? count === per_page : page < pages
  const pageUrl = (target: number): string =>
    linkTo(request, { page: String(target), per_page: String(per_page) })
  const links = [
    page > 1 ? `<${pageUrl(page - 1)}>; rel="prev"` : '',
    hasNext ? `<${pageUrl(page + 1)}>; rel="next"` : '',
    `<${pageUrl(1)}>; rel="first"`,
    pages === undefined ? '' : `<${pageUrl(pages)}>; rel="last"`,
  ]
  return {
    ...linkHeader(links),
    'X-Page': String(page),
    'X-Per-Page': String(per_page),
    'X-Next-Page': hasNext ? String(page + 1) : '',
    'X-Prev-Page': page > 1 ? String(page - 1) : '',
    ...(isCounted ? { 'X-Total': String(rows.total), 'X-Total-Pages': String(pages) } : {}),
  }
}

function keysetHeaders(request: PageRequest, rows: Rows<unknown>): Record<string, string> {
  return rows.next ? linkHeader(['', `<${linkTo(request, rows.next)}>; rel="next"`]) : {}
}

/**
 * Removes the extra row of a keyset page and adds the query parameter of the next page: `id_after` or `id_before` with
 * the id of the last row. Stores fetch `paging.limit` rows, one more than the page has.
 */
export function keysetPage<Row extends { id: number }>(rows: readonly Row[], paging: Paging): Rows<Row> {
  if (rows.length < paging.limit) return { rows, next: undefined }
  const pageRows = rows.slice(0, paging.per_page)
  const last = String(pageRows.at(-1)!.id)
  return { rows: pageRows, next: paging.sort === 'asc' ? { id_after: last } : { id_before: last } }
}
