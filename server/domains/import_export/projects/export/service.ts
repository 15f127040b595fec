import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { enqueue, withdraw } from '../../../../jobs/job.ts'
import { cancelRun } from '../../../../jobs/runs.ts'
import { fail, notFound } from '../../../../lib/fail.ts'
import type { Project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { archiveAnswer, removeFiles } from '../../exports/files.ts'
import * as store from '../../exports/store.ts'
import { exportProject } from './make.ts'
import { isActive, publishChange, stateOf } from './status.ts'
import { checkUploadTarget, sealUrl, uploadExport, type UploadTarget } from './upload.ts'

const MEGABYTE = 1024 * 1024
/** Number of simultaneous exports. Exports of the same project run one after the other. */
const MAX_CONCURRENT = 2

/** The parameters of an export. */
export interface ExportRequest {
  readonly description?: string | undefined
  readonly upload?: UploadTarget | undefined
}

const ownerOf = ({ id }: Project) => ({ kind: 'project', id }) as const

/** Throws 404 if the settings disable exports (spec administration 6.1). */
export function checkExportsEnabled(ctx: Ctx): void {
  if (!settingsOf(ctx).project_export_enabled) throw notFound()
}

/**
 * Stores an export of a project and enqueues its job, unless the same export is already running. Throws 400 for a
 * forbidden upload URL and for a project above the size limit of the settings.
 */
export async function startExport(ctx: Ctx, project: Project, request: ExportRequest): Promise<void> {
  checkExportsEnabled(ctx)
  if (request.upload) await checkUploadTarget(ctx, request.upload)
  if (isTooLarge(ctx, project)) throw fail('bad_request', 'The project size exceeds the export limit.')
  const description = request.description ?? null
  tx(ctx.db, () => {
    const last = store.newest(ctx.db, ownerOf(project))
    const isSame =
      last?.description === description && last.user_id === ctx.actor.id && last.upload_url === null
    if (isActive(last) && isSame && !request.upload) return
    const { url, http_method = 'PUT' } = request.upload ?? {}
    const row = store.insertProjectExport(
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
    enqueue(
      ctx,
      exportProject,
      { export_id: row.id },
      { key: `project_export:${project.id % MAX_CONCURRENT}` },
    )
    publishChange(ctx, row)
  })
}

/**
 * Whether a project exceeds the size limit of exports. Artifacts, packages and images are not exported and do not
 * count.
 */
function isTooLarge(ctx: Ctx, project: Project): boolean {
  const { max_export_size } = settingsOf(ctx)
  const { repository_size, wiki_size, lfs_objects_size, snippets_size, uploads_size } = project
  const size = repository_size + wiki_size + lfs_objects_size + snippets_size + uploads_size
  return max_export_size > 0 && size > max_export_size * MEGABYTE
}

/** Cancels the current export or its upload. Throws 409 if there is none. */
export async function cancelExport(ctx: Ctx, project: Project): Promise<void> {
  checkExportsEnabled(ctx)
  const last = store.newest(ctx.db, ownerOf(project))
  if (!last || (!isActive(last) && last.after_state !== 'running'))
    throw fail('conflict', 'No export of this project is running.')
  tx(ctx.db, () => {
    const after_state = last.after_state === 'running' ? 'failed' : last.after_state
    const changes = { state: 'canceled', after_state, file: null, upload_url: null, step: null } as const
    const row = store.update<store.ProjectExport>(
      ctx.db,
      last.id,
      { ...changes, finished_at: ctx.now },
      ctx.now,
    )
    withdraw(ctx, exportProject, { export_id: last.id })
    withdraw(ctx, uploadExport, { export_id: last.id })
    if (row) publishChange(ctx, row)
  })
  void cancelRun(ctx, `project_export:${last.id}`)
  if (last.file !== null) await removeFiles(ctx.config, 'projects', [last.file])
}

/** Returns the archive as an answer. Throws 404 if it does not exist or has expired (spec administration 6.1). */
export function archiveOf(ctx: Ctx, project: Project) {
  checkExportsEnabled(ctx)
  return archiveAnswer(ctx.config, 'projects', stateOf(ctx, project.id).available)
}
