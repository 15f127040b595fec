import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { ForbiddenDestination } from '../../../../lib/outbound.ts'
import { projectById, type Project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { ArchiveProblem } from '../../archive/problem.ts'
import { exportFile, removeFile } from './files.ts'
import { tellOfFailure, tellOfUpload } from './mails.ts'
import { abortable, ExportInterrupted, timed } from './running.ts'
import * as store from './store.ts'
import type { ProjectExport } from './store.ts'
import { tell } from './tell.ts'
import { openUrl } from './upload-target.ts'

/** Ten gigabytes over a slow line take their time; a receiver that hangs does not get for ever. */
const LIMIT_MS = 6 * 3_600_000

/**
 * Sends a finished archive to where whoever asked for it wants it; then it is not kept here (spec administration 6.1). Where that
 * fails they are told, and can download it for a day. Rejects only when the instance stops.
 */
export async function sendExport(ctx: Ctx, exportId: number): Promise<void> {
  const row = store.byId(ctx.db, exportId)
  const project = row && projectById(ctx.db, row.project_id)
  if (!project || row.after_state !== 'running' || row.file === null || row.upload_url === null) return
  const now = timed(ctx)
  const url = openUrl(ctx, row.upload_url)
  try {
    await abortable(ctx, row.id, (signal) => send(ctx, row, url, signal))
    tx(ctx.db, () => {
      if (end(now(), row.id, { after_state: 'finished', file: null }))
        tellOfUpload(now(), row, project, new URL(url).host)
    })
    await removeFile(ctx.config, row.file)
  } catch (error) {
    if (error instanceof ExportInterrupted) {
      if (error.reason === 'stopping') throw error
      return
    }
    noteFailure(now(), row, project, error)
  }
}

function noteFailure(ctx: Ctx, row: ProjectExport, project: Project, error: unknown): void {
  const sentence = error instanceof ArchiveProblem ? error.message : 'The archive could not be sent.'
  ctx.log.warn({ err: error, project_id: project.id }, 'an archive could not be sent')
  tx(ctx.db, () => {
    if (end(ctx, row.id, { after_state: 'failed', error: sentence }))
      tellOfFailure(ctx, row, project, sentence)
  })
}

/** Rows that were taken back meanwhile stay as they are. */
function end(ctx: Ctx, id: number, changes: Partial<ProjectExport>): boolean {
  if (store.byId(ctx.db, id)?.after_state !== 'running') return false
  const row = store.update(ctx.db, id, { ...changes, upload_url: null, step: null }, ctx.now)
  if (row) tell(ctx, row)
  return true
}

async function send(ctx: Ctx, row: ProjectExport, url: string, ended: AbortSignal): Promise<void> {
  if (settingsOf(ctx).silent_mode_enabled)
    throw new ArchiveProblem('The archive was not sent: the instance sends nothing at the moment.')
  const path = exportFile(ctx.config, row.file!)
  const { size } = await stat(path)
  const signal = AbortSignal.any([ended, AbortSignal.timeout(LIMIT_MS)])
  const body = createReadStream(path, { highWaterMark: 256 * 1024 })
  try {
    const response = await ctx.outbound.fetch(url, {
      method: row.upload_method ?? 'PUT',
      body,
      duplex: 'half',
      // What was sent cannot be sent once more to somewhere else.
      redirect: 'manual',
      headers: { 'Content-Type': 'application/gzip', 'Content-Length': String(size) },
      signal,
    })
    await response.body?.cancel()
    if (!response.ok)
      throw new ArchiveProblem(`The archive was not taken: the receiver answered ${response.status}.`)
  } catch (error) {
    if (ended.aborted) throw ended.reason
    throw problemOf(error)
  } finally {
    body.destroy()
  }
}

function problemOf(error: unknown): unknown {
  if (error instanceof ArchiveProblem) return error
  const { cause } = error as { cause?: unknown }
  if (error instanceof ForbiddenDestination || cause instanceof ForbiddenDestination)
    return new ArchiveProblem('The archive was not sent: nothing may be sent to its receiver.')
  return Object.assign(new ArchiveProblem('The archive could not be sent: its receiver cannot be reached.'), {
    cause: error,
  })
}
