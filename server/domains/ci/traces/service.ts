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

/** The maximum size in bytes that is returned as a buffer. More is returned as a stream. */
const MAX_BUFFER = 1024 * 1024

/** A range of a log that was read. */
interface ReadTrace {
  /** The size of the whole log in bytes. */
  readonly size: number
  /** The length of the range in bytes. */
  readonly length: number
  readonly body: Buffer | Readable
}

/** A range of a log. `end` is exclusive. Values beyond the log are limited to its size. */
interface TraceRange {
  readonly start?: number
  readonly end?: number
}

/**
 * Reads the log of a job, or a range of it, from its chunks or from the file. It is empty for a job without a log. While a
 * user reads it, the runner is asked to send more often.
 */
export async function readTrace(ctx: Ctx, job: JobRow, range: TraceRange = {}): Promise<ReadTrace> {
  if (ctx.actor.kind === 'user' && ctx.actor.via !== 'job') recordReader(ctx, job.id)
  const size = store.sizeOf(ctx.db, job.id) ?? 0
  const end = Math.min(range.end ?? size, size)
  const start = Math.min(Math.max(range.start ?? 0, 0), end)
  const length = end - start
  const bytes = bytesOf(ctx, job.id, start, end)
  if (length > MAX_BUFFER) return { size, length, body: Readable.from(bytes) }
  const buffers: Buffer[] = []
  for await (const buffer of bytes) buffers.push(buffer)
  const body = Buffer.concat(buffers)
  return { size, length: body.length, body }
}

/**
 * Reads the last bytes of a log that is still in chunks. It is synchronous, because the caller runs in the transaction that
 * ends the job. Empty if the log is already a file.
 */
export function endOfTrace(ctx: Pick<Ctx, 'db'>, jobId: number, limit: number): Buffer {
  const size = store.sizeOf(ctx.db, jobId) ?? 0
  const buffers: Buffer[] = []
  for (let offset = Math.max(size - limit, 0); offset < size;) {
    const chunk = store.chunkAt(ctx.db, jobId, offset)
    if (!chunk) break
    buffers.push(chunk.bytes.subarray(offset - chunk.start))
    offset = chunk.start + chunk.bytes.length
  }
  return Buffer.concat(buffers)
}

/**
 * Reads a range chunk by chunk. If a chunk is missing, the log has been archived, and the remaining bytes are read from
 * the file.
 */
async function* bytesOf(ctx: Pick<Ctx, 'db' | 'config'>, jobId: number, start: number, end: number) {
  for (let offset = start; offset < end;) {
    const chunk = store.chunkAt(ctx.db, jobId, offset)
    if (!chunk) {
      yield* fileBytes(ctx, jobId, offset, end)
      return
    }
    const bytes = chunk.bytes.subarray(offset - chunk.start, end - chunk.start)
    yield bytes
    offset += bytes.length
  }
}

async function* fileBytes(ctx: Pick<Ctx, 'db' | 'config'>, jobId: number, start: number, end: number) {
  const stored = ofType(ctx.db, jobId, TRACE)
  if (!stored) return
  const handle = await open(pathOf(ctx, stored)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!handle) return
  yield* createReadStream('', { fd: handle, start, end: end - 1 }) as AsyncIterable<Buffer>
}

/** The time in milliseconds after a request for a log in which the log counts as watched (spec ci 1.9). */
const WATCHED_MS = 10_000

/** The maximum number of watched logs. The oldest are dropped first. */
const MAX_WATCHED = 1000

/** The intervals in seconds at which a runner sends new output of a log that is watched or not (spec ci 1.9). */
const WATCHED_INTERVAL = 3
const IDLE_INTERVAL = 6

/** The times of the last requests for logs, by the ID of the job, oldest first. */
const watchedTraces = (db: Ctx['db']) => db.instance('ci.watched_traces', () => new Map<number, number>())

/** Records that a user reads the log of a job. */
function recordReader({ db, now }: Pick<Ctx, 'db' | 'now'>, jobId: number): void {
  const watched = watchedTraces(db)
  watched.delete(jobId)
  watched.set(jobId, Date.parse(now))
  if (watched.size > MAX_WATCHED) watched.delete(watched.keys().next().value!)
}

/** The interval in seconds at which a runner should send new output of a log. It is shorter while a user watches. */
export function traceInterval({ db, now }: Pick<Ctx, 'db' | 'now'>, jobId: number): number {
  const readAt = watchedTraces(db).get(jobId)
  return readAt !== undefined && Date.parse(now) - readAt <= WATCHED_MS ? WATCHED_INTERVAL : IDLE_INTERVAL
}

/** A range of bytes. `end` is exclusive. */
interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The range of `size` bytes that a `Range` header requests. Null means all bytes, also for an invalid header and for
 * several ranges. `behind` means that the range begins after the end.
 */
export function parseRange(header: string, size: number): ByteRange | 'behind' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim()) ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(Number(last) + 1, size)
  if (start >= size) return 'behind'
  return end <= start ? null : { start, end }
}

/** The maximum size of a job's log in bytes (spec ci 1.9). */
export const MAX_TRACE = 100 * 1024 * 1024

/** The result of appending to a log, and the new size of the log. */
export interface Appended {
  readonly outcome: 'stored' | 'misplaced' | 'too_large'
  readonly size: number
}

/**
 * Appends bytes to the log of a job. `start` must be the size of the log in bytes, so that bytes that a runner sends twice
 * are not stored twice.
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

/** Removes the log of a job. If it is a file, a background job deletes the file. */
export function eraseTrace(ctx: Ctx, job: JobRow): void {
  tx(ctx.db, () => {
    if (!store.removeTrace(ctx.db, job.id)) return
    requestRemoval(ctx)
    publishSize(ctx, job, 0)
  })
}

/** Publishes the size of a log, for windows that show the log. */
function publishSize(ctx: Ctx, job: Pick<JobRow, 'id' | 'project_id' | 'pipeline_id'>, size: number): void {
  const { project_id, pipeline_id, id: job_id } = job
  publish(ctx, TraceChanged, { project_id, pipeline_id, job_id, size })
}
