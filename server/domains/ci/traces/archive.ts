import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { addDays } from '../../../lib/clock.ts'
import { adopt, removeContent } from '../artifacts/disk.ts'
import * as artifacts from '../artifacts/store.ts'
import { TRACE } from '../artifacts/types.ts'
import { byId, type JobRow } from '../jobs/store.ts'
import * as store from './store.ts'

const ALIVE = new Set(['running', 'canceling'])
const BATCH = 100

/** Data of a log that was written into one file. */
interface Written {
  readonly size: number
  readonly sha256: string
  /** `crc32:` and eight hex digits, as runners send it. */
  readonly checksum: string
}

/**
 * Writes the log of a finished job into one file, and removes its pieces. The file is on disk before a row refers to
 * it. An interrupted run is repeated, and a cron task removes files without a row.
 */
export async function archiveTrace(ctx: Ctx, jobId: number): Promise<void> {
  const job = byId(ctx.db, jobId)
  if (!job || ALIVE.has(job.status) || !store.hasPieces(ctx.db, jobId)) return
  const file = { project_id: job.project_id, stored_as: ctx.random.hex(16) }
  const temporary = join(dataPaths(ctx.config.dataDir).tmp, `trace-${file.stored_as}`)
  try {
    const written = await writePieces(ctx, job, temporary)
    await adopt(ctx, file, temporary)
    if (!note(ctx, job, file, written)) await removeContent(ctx, file)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Archives logs that a crash left in pieces; called by a cron. */
export async function archiveRemaining(ctx: Ctx): Promise<void> {
  const seen = new Set<number>()
  for (;;) {
    const unarchived = store.leftInPieces(ctx.db, addDays(ctx.now, -1), BATCH).filter((id) => !seen.has(id))
    if (unarchived.length === 0) return
    for (const id of unarchived) {
      seen.add(id)
      await archiveTrace(ctx, id)
    }
  }
}

async function writePieces(ctx: Pick<Ctx, 'db'>, job: JobRow, path: string): Promise<Written> {
  const handle = await open(path, 'w', 0o600)
  const hash = createHash('sha256')
  let size = 0
  let sum = 0
  try {
    for (;;) {
      const piece = store.pieceAt(ctx.db, job.id, size)
      if (!piece) break
      await handle.writeFile(piece.bytes)
      hash.update(piece.bytes)
      sum = crc32(piece.bytes, sum)
      size += piece.bytes.length
    }
  } finally {
    await handle.close()
  }
  return { size, sha256: hash.digest('hex'), checksum: `crc32:${sum.toString(16).padStart(8, '0')}` }
}

/** Makes the file the log. False if the log was erased or the job was deleted; the file is not needed then. */
function note(
  ctx: Ctx,
  job: JobRow,
  file: { project_id: number; stored_as: string },
  written: Written,
): boolean {
  return tx(ctx.db, () => {
    if (store.sizeOf(ctx.db, job.id) !== written.size || !store.hasPieces(ctx.db, job.id)) return false
    artifacts.insert(ctx.db, {
      ...file,
      job_id: job.id,
      file_type: TRACE,
      file_format: null,
      filename: 'job.log',
      size: written.size,
      sha256: written.sha256,
      created_at: ctx.now,
    })
    store.removePieces(ctx.db, job.id)
    if (job.trace_checksum !== null && job.trace_checksum !== written.checksum)
      ctx.log.warn({ job_id: job.id }, 'the checksum of a job log differs from the one of its runner')
    return true
  })
}
