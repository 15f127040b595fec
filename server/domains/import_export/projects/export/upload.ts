import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

import { z } from 'zod'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { job } from '../../../../jobs/job.ts'
import { cancelable, RunInterrupted } from '../../../../jobs/runs.ts'
import { invalid } from '../../../../lib/fail.ts'
import { ForbiddenDestination } from '../../../../lib/outbound.ts'
import { BLOCKED, projectById, type Project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { ArchiveProblem } from '../../archive/unpack.ts'
import { exportFile, removeFiles, withCurrentTime } from '../../exports/files.ts'
import * as store from '../../exports/store.ts'
import type { ProjectExport } from '../../exports/store.ts'
import { mailFailure, mailUpload } from './mails.ts'
import { publishChange } from './status.ts'

/** The URL that an archive is uploaded to. */
export interface UploadTarget {
  readonly url: string
  readonly http_method?: 'PUT' | 'POST' | undefined
}

const SCHEMES = 'is blocked: Only allowed schemes are http, https'
const MAX_URL = 8192

/** Throws 400 `{url: […]}` for an invalid or forbidden URL. */
export async function checkUploadTarget(ctx: Ctx, { url }: UploadTarget): Promise<void> {
  if (!URL.canParse(url) || url.length > MAX_URL) throw invalid({ url: 'is blocked: URI is invalid' })
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'http:' && protocol !== 'https:') throw invalid({ url: SCHEMES })
  try {
    await ctx.outbound.addressOf(hostname, 'any', Number(port) || (protocol === 'http:' ? 80 : 443))
  } catch (error) {
    // A host name that does not resolve now may do so later.
    if (error instanceof ForbiddenDestination) throw invalid({ url: BLOCKED })
  }
}

const PURPOSE = 'exports.upload_url'

/** Encrypts a URL for the database: presigned URLs are credentials. */
export function sealUrl({ secrets }: Pick<Ctx, 'secrets'>, url: string): string {
  return secrets.seal(url, PURPOSE)
}

/** Uploads a finished archive to the URL of the export. An interrupted upload starts again. */
export const uploadExport = job(
  'transfer.upload_export',
  { args: { export_id: z.number() }, retries: 3, lane: 'outside' },
  (ctx, { export_id }) => runUpload(ctx, export_id),
)

/**
 * Time limit of an upload. It allows ten gigabytes over a slow connection, but a hanging receiver does not block the
 * job.
 */
const UPLOAD_TIMEOUT_MS = 6 * 3_600_000

/**
 * Uploads a finished archive and deletes the local copy (spec administration 6.1). After a failure the exporter
 * receives an email and can download the archive for a day. Rejects only when it is canceled or the instance stops.
 */
async function runUpload(ctx: Ctx, exportId: number): Promise<void> {
  const row = store.projectExportById(ctx.db, exportId)
  const project = row && projectById(ctx.db, row.project_id)
  if (!project || row.after_state !== 'running' || row.file === null || row.upload_url === null) return
  const now = withCurrentTime(ctx)
  const url = ctx.secrets.open(row.upload_url, PURPOSE).toString()
  try {
    const run = { name: `project_export:${row.id}`, project_id: project.id }
    await cancelable(ctx, run, (signal) => uploadArchive(ctx, row, url, signal))
    tx(ctx.db, () => {
      if (recordEnd(now(), row.id, { after_state: 'finished', file: null }))
        mailUpload(now(), row, project, new URL(url).host)
    })
    await removeFiles(ctx.config, 'projects', [row.file])
  } catch (error) {
    if (error instanceof RunInterrupted) throw error
    recordFailure(now(), row, project, error)
  }
}

function recordFailure(ctx: Ctx, row: ProjectExport, project: Project, error: unknown): void {
  const sentence = error instanceof ArchiveProblem ? error.message : 'The archive could not be sent.'
  ctx.log.warn({ err: error, project_id: project.id }, 'an archive could not be sent')
  tx(ctx.db, () => {
    if (recordEnd(ctx, row.id, { after_state: 'failed', error: sentence }))
      mailFailure(ctx, row, project, sentence)
  })
}

/** Records the end of an upload. Returns false if the upload was canceled. */
function recordEnd(ctx: Ctx, id: number, changes: Partial<ProjectExport>): boolean {
  if (store.projectExportById(ctx.db, id)?.after_state !== 'running') return false
  const row = store.update(ctx.db, id, { ...changes, upload_url: null, step: null }, ctx.now)
  if (row) publishChange(ctx, row)
  return true
}

async function uploadArchive(
  ctx: Ctx,
  row: ProjectExport,
  url: string,
  canceled: AbortSignal,
): Promise<void> {
  if (settingsOf(ctx).silent_mode_enabled)
    throw new ArchiveProblem('The archive was not sent: the instance sends nothing at the moment.')
  const path = exportFile(ctx.config, 'projects', row.file!)
  const { size } = await stat(path)
  const signal = AbortSignal.any([canceled, AbortSignal.timeout(UPLOAD_TIMEOUT_MS)])
  const body = createReadStream(path, { highWaterMark: 256 * 1024 })
  try {
    const response = await ctx.outbound.fetch(url, {
      method: row.upload_method ?? 'PUT',
      body,
      duplex: 'half',
      // The stream cannot be sent a second time.
      redirect: 'manual',
      headers: { 'Content-Type': 'application/gzip', 'Content-Length': String(size) },
      signal,
    })
    await response.body?.cancel()
    if (!response.ok)
      throw new ArchiveProblem(`The archive was refused: the receiver answered ${response.status}.`)
  } catch (error) {
    if (canceled.aborted) throw canceled.reason
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
