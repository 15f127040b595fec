import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { cron, type CronLine } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import { storeFile, removeContent } from '../artifacts/disk.ts'
import * as artifacts from '../artifacts/store.ts'
import { TRACE } from '../artifacts/types.ts'
import { byId, type JobRow } from '../jobs/store.ts'
import * as store from './store.ts'

const RUNNING = new Set(['running', 'canceling'])
const BATCH = 100

/** The properties of a log that was written to a file. */
interface LogFile {
  readonly size: number
  readonly sha256: string
  /** `crc32:` and eight hex digits, as runners send it. */
  readonly checksum: string
}

/**
 * Writes the log of a finished job to a file, and removes its chunks. The file is on disk before a row refers to it. After
 * an interruption the job runs again, and a cron job removes files without a row.
 */
export async function archiveTrace(ctx: Ctx, jobId: number): Promise<void> {
  const job = byId(ctx.db, jobId)
  if (!job || RUNNING.has(job.status) || !store.hasChunks(ctx.db, jobId)) return
  const file = { project_id: job.project_id, stored_as: ctx.random.hex(16) }
  const temporary = join(dataPaths(ctx.config.dataDir).tmp, `trace-${file.stored_as}`)
  try {
    const log = await writeChunks(ctx, job, temporary)
    await storeFile(ctx, file, temporary)
    if (!replaceChunks(ctx, job, file, log)) await removeContent(ctx, file)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Archives logs that a crash left in chunks. */
export async function archiveRemaining(ctx: Ctx): Promise<void> {
  const attempted = new Set<number>()
  for (;;) {
    const unarchived = store
      .jobsWithChunks(ctx.db, addDays(ctx.now, -1), BATCH)
      .filter((id) => !attempted.has(id))
    if (unarchived.length === 0) return
    for (const id of unarchived) {
      attempted.add(id)
      await archiveTrace(ctx, id)
    }
  }
}

export const crons: CronLine[] = [cron('ci.archive_left_traces', '50 3 * * *', archiveRemaining)]

async function writeChunks(ctx: Pick<Ctx, 'db'>, job: JobRow, path: string): Promise<LogFile> {
  const handle = await open(path, 'w', 0o600)
  const hash = createHash('sha256')
  let size = 0
  let sum = 0
  try {
    for (;;) {
      const chunk = store.chunkAt(ctx.db, job.id, size)
      if (!chunk) break
      await handle.writeFile(chunk.bytes)
      hash.update(chunk.bytes)
      sum = crc32(chunk.bytes, sum)
      size += chunk.bytes.length
    }
  } finally {
    await handle.close()
  }
  return { size, sha256: hash.digest('hex'), checksum: `crc32:${sum.toString(16).padStart(8, '0')}` }
}

/** Replaces the chunks by the file. Returns false if the log was erased or the job deleted in the meantime. */
function replaceChunks(
  ctx: Ctx,
  job: JobRow,
  file: { project_id: number; stored_as: string },
  log: LogFile,
): boolean {
  return tx(ctx.db, () => {
    if (store.sizeOf(ctx.db, job.id) !== log.size || !store.hasChunks(ctx.db, job.id)) return false
    artifacts.insert(ctx.db, {
      ...file,
      job_id: job.id,
      file_type: TRACE,
      file_format: null,
      filename: 'job.log',
      size: log.size,
      sha256: log.sha256,
      created_at: ctx.now,
    })
    store.removeChunks(ctx.db, job.id)
    if (job.trace_checksum !== null && job.trace_checksum !== log.checksum)
      ctx.log.warn({ job_id: job.id }, 'the checksum of a job log differs from the one of its runner')
    return true
  })
}
