import { join } from 'node:path'
import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import { publish } from '../../../events/publish.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { system } from '../../../policy/actor.ts'
import type { RunningInstance } from '../../../domain.ts'
import type { Comparison, InspectorState } from './entity.ts'
import { InspectorChanged } from '../events.ts'
import { differencesOf } from './reading/compare.ts'
import { matcherOf, type RequestFilter } from './reading/filter.ts'
import { harOf } from './reading/har.ts'
import { hintsOf, type Hint } from './reading/hints.ts'
import { summaryOf, viewOf, type RequestView, type SummaryView } from './reading/views.ts'
import { Inspector } from './recording/inspector.ts'
import type { Switches } from './recording/request-files.ts'
import type { RequestRecord } from './recording/record.ts'
import { RING_LIMITS, type Ring } from './recording/ring.ts'

/** The maximum number of requests of one HAR file. */
export const MAX_IN_HAR = 500

function inspectorHolder({ db }: Pick<Ctx, 'db'>): { inspector: Inspector | undefined } {
  return db.instance('workbench.inspector', (): { inspector: Inspector | undefined } => ({
    inspector: undefined,
  }))
}

function inspectorOf(ctx: Pick<Ctx, 'db'>): Inspector {
  const { inspector } = inspectorHolder(ctx)
  if (!inspector) throw fail('unavailable')
  return inspector
}

/** Creates the inspector in the state that it had before the restart. Returns a function that closes it. */
export function openInspector({ context }: RunningInstance): () => Promise<void> {
  const { db, config, log } = context()
  const inspector = new Inspector({
    folder: join(config.dataDir, 'inspector'),
    observation: db.observation,
    log,
    exists: (endpoint, reference) =>
      endpoint.scope?.load({ ...context(), actor: system }, reference) !== undefined,
    announce: (last_request) => publish(context(), InspectorChanged, { last_request }),
  })
  inspectorHolder({ db }).inspector = inspector
  void inspector
    .resume()
    .catch((error: unknown) => log.warn({ err: error }, 'the inspector could not read its files'))
  return () => inspector.close()
}

/** Whether the inspector records, and the number and size of its records. */
export function readState(ctx: Ctx): InspectorState {
  const { switches, recorder } = inspectorOf(ctx)
  return {
    ...switches,
    count: recorder?.ring.size ?? 0,
    last_request: recorder?.last ?? 0,
    most: RING_LIMITS.requests,
    bytes: Math.round(recorder?.ring.bytes ?? 0),
  }
}

/** Switches the inspector on or off. Switching it off drops all records that are not on disk. */
export function changeState(ctx: Ctx, changes: Partial<Switches>): InspectorState {
  const inspector = inspectorOf(ctx)
  inspector.switchTo({ ...inspector.switches, ...changes })
  lastHints(ctx).entry = undefined
  return readState(ctx)
}

/** Deletes all recorded requests. */
export function clearRequests(ctx: Ctx): void {
  inspectorOf(ctx).clear()
  lastHints(ctx).entry = undefined
}

interface RecordedRequests {
  readonly records: RequestRecord[]
  readonly hints: ReadonlyMap<number, readonly Hint[]>
  readonly ring: Ring
}

/** The maximum age of cached hints in milliseconds: some hints depend on the time. */
const HINTS_MS = 1000

/** The cached hints. */
function lastHints({ db }: Pick<Ctx, 'db'>): {
  entry: (RecordedRequests & { added: number; at: number }) | undefined
} {
  return db.instance('workbench.hints', () => ({ entry: undefined }))
}

/** The recorded requests with their hints; undefined while the inspector is off. */
function recordedRequests(ctx: Ctx): RecordedRequests | undefined {
  const ring = inspectorOf(ctx).recorder?.ring
  if (!ring) return undefined
  const now = performance.now()
  const cache = lastHints(ctx)
  const { entry } = cache
  if (entry?.ring === ring && entry.added === ring.revision && now - entry.at < HINTS_MS) return entry
  const records = ring.oldestFirst()
  cache.entry = { records, ring, hints: hintsOf(records, now), added: ring.revision, at: now }
  return cache.entry
}

/** One page of the requests that match, newest first. */
export function listRequests(
  ctx: Ctx,
  filter: RequestFilter,
  { limit, offset }: { limit: number; offset: number },
): Rows<SummaryView> {
  const current = recordedRequests(ctx)
  if (!current) return { rows: [], total: 0 }
  const records = current.records.filter(matcherOf(filter, current.hints)).reverse()
  const rows = records.slice(offset, offset + limit)
  return {
    rows: rows.map((record) => summaryOf(record, current.hints.get(record.id) ?? [])),
    total: records.length,
  }
}

/** Finds a request by its ID or by its `X-Request-Id`. Throws 404. */
export function findRequest(ctx: Ctx, reference: string): RequestView {
  const current = recordedRequests(ctx)
  const record = /^\d{1,12}$/.test(reference)
    ? current?.ring.get(Number(reference))
    : current?.ring.byRequestId(reference)
  if (!current || !record) throw notFound('Request')
  return fullView(current, record)
}

function fullView({ hints, ring }: RecordedRequests, record: RequestRecord): RequestView {
  return viewOf(record, hints.get(record.id) ?? [], (slot) => ring.text(slot))
}

/** The latest requests that match, as a HAR file. */
export function exportRequests(
  ctx: Ctx,
  filter: RequestFilter & { ids?: readonly number[] | undefined },
): string {
  const current = recordedRequests(ctx)
  const { ids, ...rest } = filter
  const records = (current?.records ?? [])
    .filter(matcherOf(rest, current?.hints ?? new Map()))
    .filter(({ id }) => ids === undefined || ids.includes(id))
    .slice(-MAX_IN_HAR)
  const views = current ? records.map((record) => fullView(current, record)) : []
  return JSON.stringify(harOf(views, ctx.config.url, ctx.config.version))
}

/** Two requests and their differences. */
export function compareRequests(ctx: Ctx, left: string, right: string): Comparison {
  const [first, second] = [findRequest(ctx, left), findRequest(ctx, right)]
  return { left: first, right: second, differences: differencesOf(first, second) }
}
