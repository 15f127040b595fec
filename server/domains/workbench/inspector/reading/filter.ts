import { credentialOf } from '../recording/credential.ts'
import { headerOf, type RequestRecord } from '../recording/record.ts'
import { HINT_KINDS, type Hint, type HintKind } from './hints.ts'

/** The filters of a list of requests. All of them must match. */
export interface RequestFilter {
  /** The fingerprint of a client, a username, or a part of the user agent. */
  readonly client?: string | undefined
  readonly credential?: string | undefined
  readonly method?: string | undefined
  /** A part of the address or of the endpoint's route. */
  readonly path?: string | undefined
  /** `404`, or `4xx`. */
  readonly status?: string | undefined
  /** The minimum duration in milliseconds. */
  readonly slower_than?: number | undefined
  /** One kind of hint, or `any`. */
  readonly hint?: HintKind | 'any' | undefined
  /** Only requests with a higher ID. */
  readonly after?: number | undefined
}

/** The values that `hint` accepts. */
export const HINT_FILTERS = ['any', ...HINT_KINDS] as const

/** Returns a function that checks whether a request matches a filter. */
export function matcherOf(filter: RequestFilter, hints: ReadonlyMap<number, readonly Hint[]>) {
  const path = filter.path?.toLowerCase()
  const client = filter.client?.toLowerCase()
  return (record: RequestRecord): boolean =>
    (filter.after === undefined || record.id > filter.after) &&
    (filter.credential === undefined || credentialOf(record) === filter.credential) &&
    (filter.method === undefined || record.method === filter.method.toUpperCase()) &&
    (filter.status === undefined || hasStatus(record.status, filter.status)) &&
    (filter.slower_than === undefined || record.ms >= filter.slower_than) &&
    (path === undefined || matchesPath(record, path)) &&
    (client === undefined || matchesClient(record, client)) &&
    (filter.hint === undefined || hasHint(hints.get(record.id) ?? [], filter.hint))
}

function hasStatus(status: number, requested: string): boolean {
  return requested.endsWith('xx')
    ? Math.floor(status / 100) === Number(requested[0])
    : status === Number(requested)
}

function matchesPath({ target, endpoint, route }: RequestRecord, path: string): boolean {
  return [target, endpoint?.route, route].some((text) => text?.toLowerCase().includes(path))
}

function matchesClient({ client, actor, headers }: RequestRecord, requested: string): boolean {
  return (
    client.toLowerCase() === requested ||
    actor?.username?.toLowerCase() === requested ||
    (headerOf(headers, 'user-agent') ?? '').toLowerCase().includes(requested)
  )
}

function hasHint(hints: readonly Hint[], requested: string): boolean {
  return requested === 'any' ? hints.length > 0 : hints.some(({ kind }) => kind === requested)
}
