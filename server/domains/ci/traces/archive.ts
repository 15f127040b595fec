import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { addDays } from '../../../lib/clock.ts'
import { adopt, removeContent } from '../artifacts/content.ts'
import * as artifacts from '../artifacts/store.ts'
import { TRACE } from '../artifacts/types.ts'
import { byId, type JobRow } from '../jobs/store.ts'
import * as store from './store.ts'

const ALIVE = new Set(['running', 'canceling'])
const BATCH = 100

/** What is noted of a log that was written into one file. */
interface Written {
  readonly size: number
  readonly sha256: string
  /** `crc32:` and eight hex digits, as runners tell it. */
  readonly checksum: string
}

/**
 * Writes the log of a job that is over into one file, and removes its pieces. The file is on disk before the database says
 * so; a run that was cut off is simply repeated, and what it left of a file is taken away as one that nobody names.
 */
export async function archiveTrace(ctx: Ctx, jobId: number): Promise<void> {
  const job = byId(ctx.db, jobId)
  if (!job || ALIVE.has(job.status) || !store.hasPieces(ctx.db, jobId)) return
  const place = { project_id: job.project_id, stored_as: ctx.random.hex(16) }
  const temporary = join(dataPaths(ctx.config.dataDir).tmp, `trace-${place.stored_as}`)
  try {
    const written = await writePieces(ctx, job, temporary)
    await adopt(ctx, place, temporary)
    if (!note(ctx, job, place, written)) await removeContent(ctx, place)
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Archives what a crash left in pieces; called by the clock. */
export async function archiveLeft(ctx: Ctx): Promise<void> {
  const seen = new Set<number>()
  for (;;) {
    const left = store.leftInPieces(ctx.db, addDays(ctx.now, -1), BATCH).filter((id) => !seen.has(id))
    if (left.length === 0) return
    for (const id of left) {
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

/** Makes the file the log. False where the log was erased or the job is gone: the file is of no use then. */
function note(
  ctx: Ctx,
  job: JobRow,
  place: { project_id: number; stored_as: string },
  written: Written,
): boolean {
  return tx(ctx.db, () => {
    if (store.sizeOf(ctx.db, job.id) !== written.size || !store.hasPieces(ctx.db, job.id)) return false
    artifacts.insert(ctx.db, {
      ...place,
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
      ctx.log.warn({ job_id: job.id }, 'the log of a job is not the one that its runner wrote')
    return true
  })
}
