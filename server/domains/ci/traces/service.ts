import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { requestRemoval, pathOf } from '../artifacts/disk.ts'
import { ofType } from '../artifacts/store.ts'
import { TRACE } from '../artifacts/types.ts'
import { TraceChanged } from '../events.ts'
import type { JobRow } from '../jobs/store.ts'
import * as store from './store.ts'

/** Logs up to this size are given as bytes, larger ones as a stream. */
const WHOLE = 1024 * 1024

/** Part of a log. */
interface ReadTrace {
  /** Bytes of the whole log. */
  readonly size: number
  /** Bytes of this part. */
  readonly length: number
  readonly body: Buffer | Readable
}

/** Bytes from `start` up to and without `end`; both are cut to the log. */
interface TraceRange {
  readonly start?: number
  readonly end?: number
}

/**
 * The log of a job, or a part of it, from pieces or from the file; empty for a job without a log. While a user reads
 * it, the runner is requested to send more often.
 */
export async function readTrace(ctx: Ctx, job: JobRow, range: TraceRange = {}): Promise<ReadTrace> {
  if (ctx.actor.kind === 'user' && ctx.actor.via !== 'job') noteWatched(ctx, job.id)
  const size = store.sizeOf(ctx.db, job.id) ?? 0
  const end = Math.min(range.end ?? size, size)
  const start = Math.min(Math.max(range.start ?? 0, 0), end)
  const length = end - start
  const parts = partsOf(ctx, job.id, start, end)
  if (length > WHOLE) return { size, length, body: Readable.from(parts) }
  const read: Buffer[] = []
  for await (const part of parts) read.push(part)
  const body = Buffer.concat(read)
  return { size, length: body.length, body }
}

/**
 * The last bytes of a log that is still in pieces, read synchronously while the job ends. Empty if the log is a file
 * already.
 */
export function endOfTrace(ctx: Pick<Ctx, 'db'>, jobId: number, limit: number): Buffer {
  const size = store.sizeOf(ctx.db, jobId) ?? 0
  const parts: Buffer[] = []
  for (let offset = Math.max(size - limit, 0); offset < size;) {
    const piece = store.pieceAt(ctx.db, jobId, offset)
    if (!piece) break
    parts.push(piece.bytes.subarray(offset - piece.start))
    offset = piece.start + piece.bytes.length
  }
  return Buffer.concat(parts)
}

/**
 * Reads piece by piece. If the next piece is missing, the log has been archived in the meantime, and the rest is read
 * from the file.
 */
async function* partsOf(ctx: Pick<Ctx, 'db' | 'config'>, jobId: number, start: number, end: number) {
  for (let offset = start; offset < end;) {
    const piece = store.pieceAt(ctx.db, jobId, offset)
    if (!piece) {
      yield* fileFrom(ctx, jobId, offset, end)
      return
    }
    const part = piece.bytes.subarray(offset - piece.start, end - piece.start)
    yield part
    offset += part.length
  }
}

async function* fileFrom(ctx: Pick<Ctx, 'db' | 'config'>, jobId: number, start: number, end: number) {
  const stored = ofType(ctx.db, jobId, TRACE)
  if (!stored) return
  const handle = await open(pathOf(ctx, stored)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!handle) return
  yield* createReadStream('', { fd: handle, start, end: end - 1 }) as AsyncIterable<Buffer>
}

/** Milliseconds after a request for a log in which its reader counts as watching (spec ci 1.9). */
const WATCHED_MS = 10_000

/** The maximum number of watched logs. The oldest are dropped first. */
const MAX_WATCHED = 1000

/** Seconds after which a runner sends new parts of a log (spec ci 1.9); cheap on a local machine. */
const WATCHED_INTERVAL = 3
const IDLE_INTERVAL = 6

/** The time of the last request for the log of a job, oldest first. */
const watchedIn = (db: Ctx['db']) => db.instance('ci.watched_traces', () => new Map<number, number>())

/** Remembers that a user reads the log of a job. */
function noteWatched({ db, now }: Pick<Ctx, 'db' | 'now'>, jobId: number): void {
  const watched = watchedIn(db)
  watched.delete(jobId)
  watched.set(jobId, Date.parse(now))
  if (watched.size > MAX_WATCHED) watched.delete(watched.keys().next().value!)
}

/** Seconds until a runner should send more of a log; fewer while a user watches it. */
export function traceInterval({ db, now }: Pick<Ctx, 'db' | 'now'>, jobId: number): number {
  const at = watchedIn(db).get(jobId)
  return at !== undefined && Date.parse(now) - at <= WATCHED_MS ? WATCHED_INTERVAL : IDLE_INTERVAL
}

/** A part of a log, up to and without `end`. */
interface Part {
  readonly start: number
  readonly end: number
}

/**
 * The part of `size` bytes that a `Range` header requests: null for everything, for invalid headers, and for more than
 * one range; `behind` if it begins after the end.
 */
export function partOf(header: string, size: number): Part | 'behind' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim()) ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size)
  if (start >= size) return 'behind'
  return end <= start ? null : { start, end }
}

/** The maximum size of a job's log in bytes (spec ci 1.9). */
export const MAX_TRACE = 100 * 1024 * 1024

/** The result of appending a piece, and the new size of the log. */
export interface Appended {
  readonly outcome: 'stored' | 'misplaced' | 'too_large'
  readonly size: number
}

/**
 * Appends bytes to the log of a job. `start` must be the size of the log in bytes, so that a piece that was sent twice
 * is not stored twice.
 */
export function appendTrace(ctx: Ctx, job: JobRow, start: number, bytes: Buffer): Appended {
  return tx(ctx.db, () => {
    const size = store.sizeOf(ctx.db, job.id) ?? 0
    if (size !== start) return { outcome: 'misplaced', size }
    if (size + bytes.length > MAX_TRACE) return { outcome: 'too_large', size }
    if (bytes.length === 0) return { outcome: 'stored', size }
    store.append(ctx.db, job.id, { start, bytes }, ctx.now)
    publishSize(ctx, job, size + bytes.length)
    return { outcome: 'stored', size: size + bytes.length }
  })
}

/** Removes the log of a job, in pieces or as a file; a background job deletes the file. */
export function eraseTrace(ctx: Ctx, job: JobRow): void {
  tx(ctx.db, () => {
    if (!store.forget(ctx.db, job.id)) return
    requestRemoval(ctx)
    publishSize(ctx, job, 0)
  })
}

/** Publishes the size of a log for the windows that show it. */
function publishSize(ctx: Ctx, job: Pick<JobRow, 'id' | 'project_id' | 'pipeline_id'>, size: number): void {
  const { project_id, pipeline_id, id: job_id } = job
  publish(ctx, TraceChanged, { project_id, pipeline_id, job_id, size })
}
