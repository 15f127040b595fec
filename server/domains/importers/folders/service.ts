import { rmSync } from 'node:fs'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/job.ts'
import { renameDurably, syncFile } from '../../../lib/files/durable-file.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import {
  archiveNames,
  archivePath,
  beginRun,
  firstSentence,
  targetFor,
  type RequestedTarget,
} from '../../import_export/index.ts'
import { insertProject, projectById, type Project } from '../../projects/index.ts'
import { importFolderJob, type FolderKind } from './fill.ts'

/** The name and the kind of an uploaded folder. */
interface FolderDescription {
  readonly kind: FolderKind
  readonly folder: string
  /** The time of the commit of its files. Default is the current time. */
  readonly at?: string
}

/** A request to import an uploaded folder. */
export interface FolderImportRequest extends RequestedTarget, FolderDescription {}

/** Creates a project and the job that imports a folder into it. Throws the errors of `targetFor`. */
export async function importFolder(
  ctx: Ctx,
  input: FolderImportRequest,
  upload: { readonly path: string },
): Promise<Project> {
  try {
    return await schedule(ctx, upload, input, () => {
      const { namespace_id, name, path } = targetFor(ctx, input)
      const columns = { visibility: 'private', import_status: 'scheduled' } as const
      return insertProject(ctx, { name, path, namespace_id, columns }, ctx.actor.id)
    })
  } catch (error) {
    const sentence = error instanceof Failure && error.kind !== 'not_found' ? firstSentence(error) : undefined
    throw sentence === undefined ? error : fail('bad_request', sentence)
  }
}

/** Enqueues the import of a folder into an existing project. Throws 409 if the project is not empty. */
export async function fillFromFolder(
  ctx: Ctx,
  projectId: number,
  input: FolderDescription,
  upload: { readonly path: string },
): Promise<void> {
  await schedule(ctx, upload, input, () => {
    const project = projectById(ctx.db, projectId)
    if (!project?.empty_repo) throw fail('conflict', 'The project already has content.')
    return project
  })
}

/** Stores the uploaded folder and enqueues its import, in one transaction with `projectOf`. */
async function schedule(
  ctx: Ctx,
  upload: { readonly path: string },
  { kind, folder, at }: FolderDescription,
  projectOf: () => Project,
): Promise<Project> {
  await syncFile(upload.path)
  let storedPath: string | undefined
  try {
    return tx(ctx.db, () => {
      const { id } = projectOf()
      const { file } = archiveNames(id)
      beginRun(
        ctx,
        { id },
        {
          import_type: 'git',
          import_source: folder.slice(0, 255),
          source: { kind, ...(at === undefined ? {} : { at }) },
          file,
        },
      )
      enqueue(ctx, importFolderJob, { project_id: id }, { key: 'folder_imports' })
      const path = archivePath(ctx.config, file)
      renameDurably(upload.path, path)
      storedPath = path
      return projectById(ctx.db, id)!
    })
  } catch (error) {
    if (storedPath) rmSync(storedPath, { force: true })
    throw error
  }
}
