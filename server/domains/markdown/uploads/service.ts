import { dirname, join } from 'node:path'
import { rm, stat } from 'node:fs/promises'
import { z } from 'zod'

import { type Config, dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue, job, withdraw } from '../../../jobs/job.ts'
import { keepFile } from '../../../lib/durable-file.ts'
import { removalsOf } from '../../../lib/gate.ts'
import type { Project } from '../../projects/index.ts'
import { cleanFileName, removeAvatar } from '../../storage/index.ts'
import { FileUploaded } from './events.ts'
import * as store from './store.ts'
import type { UploadRow } from './store.ts'

/** An arrived file, as `http/upload.ts` describes it. */
interface Arrived {
  readonly filename: string
  readonly path: string
  readonly size: number
}

/** Where an upload of a project lies. */
export function placeOf(config: Config, upload: UploadRow): string {
  return uploadPath(config, { ...upload, project_id: upload.project_id! })
}

/** Attaches a file to a project, under an address that nobody can guess. */
export async function attach(ctx: Ctx, project: Pick<Project, 'id'>, file: Arrived): Promise<UploadRow> {
  const row = {
    project_id: project.id,
    namespace_id: null,
    secret: ctx.random.hex(16),
    file_name: cleanFileName(file.filename),
    size: file.size,
    uploaded_by_id: ctx.actor.id,
    created_at: ctx.now,
  }
  // Whatever becomes of us, the file goes where nobody notes it.
  const { project_id, secret, file_name } = row
  enqueue(ctx, removeUnnoted, { project_id, secret, file_name }, { delay: LOOK_AFTER_MS })
  await keepFile(file.path, uploadPath(ctx.config, row))
  return tx(ctx.db, () => {
    withdraw(ctx, removeUnnoted, { project_id, secret, file_name })
    const upload = store.insert(ctx.db, row)
    publish(ctx, FileUploaded, { project_id: project.id, upload_id: upload.id, actor_id: ctx.actor.id })
    return upload
  })
}

/**
 * Takes over a file that was attached to the original of an imported project: its secret stays, so that texts that name it lead
 * to it. The file is moved. Nobody is told. May be repeated.
 */
export async function adoptUpload(
  ctx: Pick<Ctx, 'db' | 'config' | 'now'>,
  given: {
    project_id: number
    secret: string
    file_name: string
    path: string
    uploaded_by_id: number | null
  },
): Promise<void> {
  const { path, ...named } = given
  const { size } = await stat(path)
  await keepFile(path, uploadPath(ctx.config, named))
  tx(ctx.db, () => {
    if (store.bySecret(ctx.db, named.project_id, named)) return
    store.insert(ctx.db, { ...named, namespace_id: null, size, created_at: ctx.now })
  })
}

/** Removes what a deleted project has left among the uploads. */
export async function removeFilesOf(ctx: Pick<Ctx, 'config'>, event: { project_id: number }): Promise<void> {
  const folder = uploadFolder(ctx.config, event.project_id)
  await removalsOf(ctx.config).pass(() => rm(folder, { recursive: true, force: true }))
  await removeAvatar(ctx, 'project', event.project_id)
}

/** The folder of what is attached to texts of a project. */
export function uploadFolder(config: Config, projectId: number): string {
  return join(dataPaths(config.dataDir).uploads, 'project', String(projectId))
}

/** Where an upload of a project lies. */
export function uploadPath(
  config: Config,
  upload: { readonly project_id: number; readonly secret: string; readonly file_name: string },
): string {
  return join(uploadFolder(config, upload.project_id), upload.secret, upload.file_name)
}

/** A request that outlives this has failed. */
export const LOOK_AFTER_MS = 60000

/**
 * Removes a file that was put at its place and never noted, because the instance was killed in between. One that was noted has
 * taken its job with it.
 */
export const removeUnnoted = job(
  'attachments.remove_unnoted',
  { args: { project_id: z.number(), secret: z.string(), file_name: z.string() }, resumes: true },
  async (ctx, upload) => {
    if (store.bySecret(ctx.db, upload.project_id, upload)) return
    const folder = dirname(uploadPath(ctx.config, upload))
    await removalsOf(ctx.config).pass(() => rm(folder, { recursive: true, force: true }))
  },
)
