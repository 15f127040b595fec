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
  type WantedTarget,
} from '../../import_export/index.ts'
import { insertProject, projectById, type Project } from '../../projects/index.ts'
import { takeFolder, type FolderKind } from './fill.ts'

/** The name and the kind of an uploaded folder. */
interface FolderDescription {
  readonly kind: FolderKind
  readonly folder: string
  /** The time of the commit of its files; default now. */
  readonly at?: string
}

/** An uploaded folder. */
export interface FolderImportRequest extends WantedTarget, FolderDescription {}

/** Creates a project that a job fills from a folder. Throws like `targetFor`. */
export async function importFolder(
  ctx: Ctx,
  input: FolderImportRequest,
  sent: { readonly path: string },
): Promise<Project> {
  try {
    return await schedule(ctx, sent, input, () => {
      const { namespace_id, name, path } = targetFor(ctx, input)
      const columns = { visibility: 'private', import_status: 'scheduled' } as const
      return insertProject(ctx, { name, path, namespace_id, columns }, ctx.actor.id)
    })
  } catch (error) {
    const sentence = error instanceof Failure && error.kind !== 'not_found' ? firstSentence(error) : undefined
    throw sentence === undefined ? error : fail('bad_request', sentence)
  }
}

/** Lets a job fill a project that is still empty from a folder. Throws 409 for one with content. */
export async function fillFromFolder(
  ctx: Ctx,
  projectId: number,
  input: FolderDescription,
  sent: { readonly path: string },
): Promise<void> {
  await schedule(ctx, sent, input, () => {
    const project = projectById(ctx.db, projectId)
    if (!project?.empty_repo) throw fail('conflict', 'The project already has content.')
    return project
  })
}

/** Stores the uploaded content and the job that imports it, in one transaction with `target`. */
async function schedule(
  ctx: Ctx,
  sent: { readonly path: string },
  { kind, folder, at }: FolderDescription,
  target: () => Project,
): Promise<Project> {
  await syncFile(sent.path)
  let stored: string | undefined
  try {
    return tx(ctx.db, () => {
      const { id } = target()
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
      enqueue(ctx, takeFolder, { project_id: id }, { key: 'folder_imports' })
      const path = archivePath(ctx.config, file)
      renameDurably(sent.path, path)
      stored = path
      return projectById(ctx.db, id)!
    })
  } catch (error) {
    if (stored) rmSync(stored, { force: true })
    throw error
  }
}
