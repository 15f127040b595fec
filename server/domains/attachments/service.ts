import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths, type Config } from '../../config.ts'
import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/facts.ts'
import { keepFile } from '../../lib/durable-file.ts'
import { removalsOf } from '../../lib/gate.ts'
import type { Project } from '../projects/index.ts'
import { cleanFileName, removeAvatar } from '../uploads/index.ts'
import { FileUploaded } from './events.ts'
import * as store from './store.ts'
import type { UploadRow } from './store.ts'

/** An arrived file, as `http/upload.ts` describes it. */
interface Arrived {
  readonly filename: string
  readonly path: string
  readonly size: number
}

function folderOf(config: Config, projectId: number): string {
  return join(dataPaths(config.dataDir).uploads, 'project', String(projectId))
}

/** Where an upload of a project lies. */
export function placeOf(config: Config, upload: UploadRow): string {
  return join(folderOf(config, upload.project_id!), upload.secret, upload.file_name)
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
  await keepFile(file.path, join(folderOf(ctx.config, project.id), row.secret, row.file_name))
  return tx(ctx.db, () => {
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
  await keepFile(path, join(folderOf(ctx.config, named.project_id), named.secret, named.file_name))
  tx(ctx.db, () => {
    if (store.bySecret(ctx.db, named.project_id, named)) return
    store.insert(ctx.db, { ...named, namespace_id: null, size, created_at: ctx.now })
  })
}

/** Removes what a deleted project has left among the uploads. */
export async function removeFilesOf(ctx: Pick<Ctx, 'config'>, fact: { project_id: number }): Promise<void> {
  const folder = folderOf(ctx.config, fact.project_id)
  await removalsOf(ctx.config).pass(() => rm(folder, { recursive: true, force: true }))
  await removeAvatar(ctx, 'project', fact.project_id)
}
