import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { enqueue, withdraw } from '../../../../jobs/job.ts'
import { fail, notFound } from '../../../../lib/fail.ts'
import type { Project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { exportFile, removeFile } from './files.ts'
import { exportProject } from './export-job.ts'
import { interrupt } from './running.ts'
import { isUnderWay, stateOf } from './status.ts'
import * as store from './store.ts'
import { tell } from './tell.ts'
import { uploadExport } from './upload-job.ts'
import { checkUploadTarget, sealUrl, type UploadTarget } from './upload-target.ts'

const MEGABYTE = 1024 * 1024
/** So many archives are made at once; those of one project one after the other. */
const AT_ONCE = 2

/** What somebody wants exported. */
export interface WantedExport {
  readonly description?: string | undefined
  readonly upload?: UploadTarget | undefined
}

/** Throws 404 where the settings say that there are no exports (spec administration 6.1). */
export function insistOnExports(ctx: Ctx): void {
  if (!settingsOf(ctx).project_export_enabled) throw notFound()
}

/**
 * Asks for an archive of a project, in the background. One that is under way and the same is the one. Throws 400 for an
 * address that nothing may be sent to, and where the project is larger than the settings allow.
 */
export async function askForExport(ctx: Ctx, project: Project, wanted: WantedExport): Promise<void> {
  insistOnExports(ctx)
  if (wanted.upload) await checkUploadTarget(ctx, wanted.upload)
  if (isTooLarge(ctx, project)) throw fail('bad_request', 'The project size exceeds the export limit.')
  const description = wanted.description ?? null
  tx(ctx.db, () => {
    const last = store.newest(ctx.db, project.id)
    const isSame =
      last?.description === description && last.user_id === ctx.actor.id && last.upload_url === null
    if (isUnderWay(last) && isSame && !wanted.upload) return
    const { url, http_method = 'PUT' } = wanted.upload ?? {}
    const row = store.insert(
      ctx.db,
      {
        project_id: project.id,
        user_id: ctx.actor.id,
        description,
        upload_url: url === undefined ? null : sealUrl(ctx, url),
        upload_method: url === undefined ? null : http_method,
      },
      ctx.now,
    )
    enqueue(ctx, exportProject, { export_id: row.id }, { key: `project_export:${project.id % AT_ONCE}` })
    tell(ctx, row)
  })
}

/** Artifacts, packages and images are not exported and do not count. */
function isTooLarge(ctx: Ctx, project: Project): boolean {
  const { max_export_size } = settingsOf(ctx)
  const { repository_size, wiki_size, lfs_objects_size, snippets_size, uploads_size } = project
  const size = repository_size + wiki_size + lfs_objects_size + snippets_size + uploads_size
  return max_export_size > 0 && size > max_export_size * MEGABYTE
}

/** Takes the export back that is under way, the sending of a finished one included. Throws 409 where none is. */
export async function cancelExport(ctx: Ctx, project: Project): Promise<void> {
  insistOnExports(ctx)
  const last = store.newest(ctx.db, project.id)
  if (!last || (!isUnderWay(last) && last.after_state !== 'running'))
    throw fail('conflict', 'No export of this project is under way.')
  tx(ctx.db, () => {
    const after_state = last.after_state === 'running' ? 'failed' : last.after_state
    const changes = { state: 'canceled', after_state, file: null, upload_url: null, step: null } as const
    const row = store.update(ctx.db, last.id, { ...changes, finished_at: ctx.now }, ctx.now)
    withdraw(ctx, exportProject, { export_id: last.id })
    withdraw(ctx, uploadExport, { export_id: last.id })
    if (row) tell(ctx, row)
  })
  interrupt(ctx, last.id)
  if (last.file !== null) await removeFile(ctx.config, last.file)
}

const GONE = '404 Not found or has expired'

/** The archive as an answer. Throws 404 where there is none, or none any more (spec administration 6.1). */
export async function archiveOf(ctx: Ctx, project: Project) {
  insistOnExports(ctx)
  const { ready } = stateOf(ctx, project.id)
  if (!ready?.file) throw fail('not_found', GONE)
  const path = exportFile(ctx.config, ready.file)
  const found = await stat(path).catch(() => undefined)
  if (!found) throw fail('not_found', GONE)
  return {
    type: 'application/gzip',
    length: found.size,
    headers: {
      'Content-Disposition': `attachment; filename="${ready.file_name ?? 'project_export.tar.gz'}"`,
      'Cache-Control': 'private, no-store',
    },
    body: createReadStream(path),
  }
}
