import { PARAMETER_ALIASES } from '../../../../lib/aliases.ts'
import { headerOf, type RequestRecord } from '../recording/record.ts'

/** Kinds of mistakes that a client made without noticing. */
export const HINT_KINDS = [
  'ignored_parameters',
  'deprecated',
  'pages_not_followed',
  'hidden_by_permission',
  'many_single_reads',
  'no_if_none_match',
] as const
export type HintKind = (typeof HINT_KINDS)[number]

/** One hint about a request. */
export interface Hint {
  readonly kind: HintKind
  /** Names of parameters. */
  readonly names: readonly string[]
  /** The number of requests that belong together. */
  readonly count: number | null
}

/** A client that reads this many single records of one endpoint within a second should request a list. */
const MANY_READS = 20
const WINDOW_MS = 1000
/** The time in milliseconds that a client has to read the next page. */
const NEXT_PAGE_MS = 3000
/** Parameters that every endpoint accepts. */
const COMMON_PARAMETERS = new Set([
  'private_token',
  'access_token',
  'job_token',
  'sudo',
  'authenticity_token',
])
/** Endpoints that accept parameters of any name. */
const ANY_PARAMETERS = /\/import(-|\/|$)|\/-\/workbench\/hooks/

/** The hints about each request, by its ID. `now` is a value of `performance.now()`. */
export function hintsOf(records: readonly RequestRecord[], now: number): Map<number, Hint[]> {
  const all = new Map<number, Hint[]>()
  const add = (record: RequestRecord, hint: Hint): void => {
    const list = all.get(record.id)
    if (list) list.push(hint)
    else all.set(record.id, [hint])
  }
  for (const record of records) for (const entry of hintsOfRequest(record)) add(record, entry)
  for (const record of unfollowedPages(records, now)) add(record, hint('pages_not_followed'))
  for (const [record, count] of singleReads(records)) add(record, { ...hint('many_single_reads'), count })
  for (const record of withoutValidator(records)) add(record, hint('no_if_none_match'))
  return all
}

function hint(kind: HintKind, names: readonly string[] = []): Hint {
  return { kind, names, count: null }
}

function hintsOfRequest(record: RequestRecord): Hint[] {
  const { endpoint, hidden } = record
  const hints: Hint[] = []
  if (endpoint) {
    const sent = namesSent(record)
    const ignored = ignoredParameters(record, sent)
    if (ignored.length > 0) hints.push(hint('ignored_parameters', ignored))
    const deprecated = endpoint.deprecated.filter((name) => sent.includes(name))
    if (endpoint.isDeprecated || deprecated.length > 0) hints.push(hint('deprecated', deprecated))
  }
  if (hidden) hints.push(hint('hidden_by_permission'))
  return hints
}

/** Names of the parameters in query and body, without brackets: `labels` for `labels[]`. */
export function namesSent({ target, body_names }: RequestRecord): string[] {
  if (!target.includes('?') && body_names.length === 0) return []
  const names = [...queryOf(target).keys(), ...body_names]
  return [...new Set(names.map((name) => name.split('[', 1)[0] ?? ''))].filter((name) => name !== '')
}

function ignoredParameters({ endpoint, status }: RequestRecord, sent: readonly string[]): string[] {
  const names = endpoint?.names
  // A refused request needs no hint, because its answer describes the mistake.
  if (!names || status >= 400 || ANY_PARAMETERS.test(endpoint.route)) return []
  return sent.filter((name) => {
    const parameter = Object.hasOwn(PARAMETER_ALIASES, name) ? PARAMETER_ALIASES[name] : undefined
    const isKnown = names.includes(name) || (parameter !== undefined && names.includes(parameter))
    return !isKnown && !COMMON_PARAMETERS.has(name) && !endpoint.path_names.includes(name)
  })
}

export function queryOf(target: string): URLSearchParams {
  const at = target.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : target.slice(at + 1))
}

export function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? target
}

/** Pages of lists after which the client did not read the next page. */
function unfollowedPages(records: readonly RequestRecord[], now: number): RequestRecord[] {
  const later = new Map<string, Set<string>>()
  const matches: RequestRecord[] = []
  for (const record of records.toReversed()) {
    if (!record.endpoint?.isList || record.status !== 200 || record.method !== 'GET') continue
    const key = `${record.client} ${pathOf(record.target)}`
    const query = queryOf(record.target)
    const readPages = later.get(key) ?? new Set()
    const isNext = /rel="next"/.test(headerOf(record.answer_headers, 'link') ?? '')
    const next = headerOf(record.answer_headers, 'x-next-page') || (isNext ? 'keyset' : '')
    if (next !== '' && !readPages.has(next) && now - record.start > NEXT_PAGE_MS) matches.push(record)
    const isKeyset =
      query.has('cursor') || query.has('id_after') || query.has('id_before') || query.has('page_token')
    readPages.add(isKeyset ? 'keyset' : (query.get('page') ?? '1'))
    later.set(key, readPages)
  }
  return matches
}

/** Reads of single records by one client in a short time, with their number. */
function singleReads(records: readonly RequestRecord[]): Map<RequestRecord, number> {
  const groups = new Map<string, RequestRecord[]>()
  for (const record of records) {
    if (
      record.method !== 'GET' ||
      !record.endpoint ||
      record.endpoint.isList ||
      record.endpoint.path_names.length === 0
    )
      continue
    const key = `${record.client} ${record.endpoint.route}`
    const group = groups.get(key)
    if (group) group.push(record)
    else groups.set(key, [record])
  }
  const result = new Map<RequestRecord, number>()
  for (const group of groups.values()) if (group.length >= MANY_READS) markMany(group, result)
  return result
}

function markMany(group: readonly RequestRecord[], result: Map<RequestRecord, number>): void {
  let first = 0
  const paths = new Map<string, number>()
  for (const [index, record] of group.entries()) {
    const path = pathOf(record.target)
    paths.set(path, (paths.get(path) ?? 0) + 1)
    while (record.start - group[first]!.start > WINDOW_MS) {
      const old = pathOf(group[first]!.target)
      const remaining = (paths.get(old) ?? 1) - 1
      if (remaining === 0) paths.delete(old)
      else paths.set(old, remaining)
      first++
    }
    if (paths.size < MANY_READS) continue
    // In a long burst each request gets the number of reads in the second before it. Earlier requests already have one.
    const isNew = !result.has(group[index - 1]!)
    for (const requestRecord of isNew ? group.slice(first, index + 1) : [record])
      result.set(requestRecord, paths.size)
  }
}

/** Repeated reads of an unchanged answer without `If-None-Match`, which would save sending it again. */
function withoutValidator(records: readonly RequestRecord[]): RequestRecord[] {
  const etags = new Map<string, string>()
  const matches: RequestRecord[] = []
  for (const record of records) {
    const etag = headerOf(record.answer_headers, 'etag')
    if (record.method !== 'GET' || record.status !== 200 || etag === undefined) continue
    const key = `${record.client} ${record.target}`
    if (etags.get(key) === etag && headerOf(record.headers, 'if-none-match') === undefined)
      matches.push(record)
    etags.set(key, etag)
  }
  return matches
}
