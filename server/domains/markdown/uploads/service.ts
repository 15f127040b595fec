import type { UploadedFile } from '../../../lib/files/uploaded-file.ts'
import { dirname, join } from 'node:path'
import { rm, stat } from 'node:fs/promises'
import { z } from 'zod'

import { type Config, dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue, job, withdraw, cron, type CronLine, type Job } from '../../../jobs/job.ts'
import { moveDurably } from '../../../lib/files/durable-file.ts'
import { removalsOf } from '../../../lib/gate.ts'
import type { Project } from '../../projects/index.ts'
import { cleanFileName, removeAvatar } from '../../storage/index.ts'
import { FileUploaded } from '../events.ts'
import * as store from './store.ts'
import type { UploadRow } from './store.ts'
import { addDays } from '../../../lib/clock.ts'
import { namesWrittenBefore, ownerFolders, removeIfEmpty } from '../../../lib/files/folders.ts'

type ReceivedFile = Pick<UploadedFile, 'filename' | 'path' | 'size'>

/** Returns the path of a stored upload on disk. */
export function pathOf(config: Config, upload: UploadRow): string {
  return uploadPath(config, { ...upload, project_id: upload.project_id! })
}

/** Stores an uploaded file for a project. Its URL contains a secret, so it cannot be guessed. */
export async function storeUpload(
  ctx: Ctx,
  project: Pick<Project, 'id'>,
  file: ReceivedFile,
): Promise<UploadRow> {
  const row = {
    project_id: project.id,
    namespace_id: null,
    secret: ctx.random.hex(16),
    file_name: cleanFileName(file.filename),
    size: file.size,
    uploaded_by_id: ctx.actor.id,
    created_at: ctx.now,
  }
  // The job deletes the file if the instance is killed before the row exists.
  const { project_id, secret, file_name } = row
  enqueue(ctx, removeUnrecorded, { project_id, secret, file_name }, { delay: CHECK_DELAY_MS })
  await moveDurably(file.path, uploadPath(ctx.config, row))
  return tx(ctx.db, () => {
    withdraw(ctx, removeUnrecorded, { project_id, secret, file_name })
    const upload = store.insert(ctx.db, row)
    publish(ctx, FileUploaded, { project_id: project.id, upload_id: upload.id, actor_id: ctx.actor.id })
    return upload
  })
}

/**
 * Stores an uploaded file of an imported project. Keeps its secret, so that links in texts work. Publishes no event. An
 * import that runs again may call it again.
 */
export async function adoptUpload(
  ctx: Pick<Ctx, 'db' | 'config' | 'now'>,
  upload: {
    project_id: number
    secret: string
    file_name: string
    path: string
    uploaded_by_id: number | null
  },
): Promise<void> {
  const { path, ...name } = upload
  const { size } = await stat(path)
  await moveDurably(path, uploadPath(ctx.config, name))
  tx(ctx.db, () => {
    if (store.bySecret(ctx.db, name.project_id, name)) return
    store.insert(ctx.db, { ...name, namespace_id: null, size, created_at: ctx.now })
  })
}

/** Deletes the uploads of a deleted project. */
export async function removeFilesOf(ctx: Pick<Ctx, 'config'>, event: { project_id: number }): Promise<void> {
  const folder = uploadFolder(ctx.config, event.project_id)
  await removalsOf(ctx.config).pass(() => rm(folder, { recursive: true, force: true }))
  await removeAvatar(ctx, 'project', event.project_id)
}

/** Returns the folder with the uploads of a project. */
export function uploadFolder(config: Config, projectId: number): string {
  return join(dataPaths(config.dataDir).uploads, 'project', String(projectId))
}

/** Returns the path of an upload on disk. */
export function uploadPath(
  config: Config,
  upload: { readonly project_id: number; readonly secret: string; readonly file_name: string },
): string {
  return join(uploadFolder(config, upload.project_id), upload.secret, upload.file_name)
}

/** The time after which a request that stores an upload must have ended, milliseconds. */
export const CHECK_DELAY_MS = 60000

/** Deletes an uploaded file that has no row because the instance was killed. Storing the row removes the job. */
const removeUnrecorded = job(
  'attachments.remove_unnoted',
  { args: { project_id: z.number(), secret: z.string(), file_name: z.string() }, resumes: true },
  async (ctx, upload) => {
    if (store.bySecret(ctx.db, upload.project_id, upload)) return
    const folder = dirname(uploadPath(ctx.config, upload))
    await removalsOf(ctx.config).pass(() => rm(folder, { recursive: true, force: true }))
  },
)

/** Deletes uploaded files that have no row and are older than a day. */
export async function removeOrphans(ctx: Ctx): Promise<void> {
  for (const projectId of await ownerFolders(dirname(uploadFolder(ctx.config, 0)))) {
    const folder = uploadFolder(ctx.config, projectId)
    const secrets = await namesWrittenBefore(folder, addDays(ctx.now, -1))
    const existing = store.secretsAmong(ctx.db, projectId, secrets)
    for (const secret of secrets.filter((entry) => !existing.has(entry)))
      await removalsOf(ctx.config).pass(() => rm(join(folder, secret), { recursive: true, force: true }))
    await removeIfEmpty(folder)
  }
}

export const jobs: Job[] = [removeUnrecorded]

export const crons: CronLine[] = [cron('attachments.remove_orphans', '40 3 * * *', removeOrphans)]
