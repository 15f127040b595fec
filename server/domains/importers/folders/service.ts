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

/** An uploaded folder. */
export interface FolderWish extends WantedTarget {
  readonly kind: FolderKind
  readonly folder: string
}

/** Creates a project that a job fills from a folder. Throws like `targetFor`. */
export async function importFolder(
  ctx: Ctx,
  wish: FolderWish,
  sent: { readonly path: string },
): Promise<Project> {
  await syncFile(sent.path)
  let stored: string | undefined
  try {
    return tx(ctx.db, () => {
      const { namespace_id, name, path } = targetFor(ctx, wish)
      const project = insertProject(
        ctx,
        { name, path, namespace_id, columns: { visibility: 'private', import_status: 'scheduled' } },
        ctx.actor.id,
      )
      const { file } = archiveNames(project.id)
      beginRun(ctx, project, {
        import_type: 'git',
        import_source: wish.folder.slice(0, 255),
        source: { kind: wish.kind },
        file,
      })
      enqueue(ctx, takeFolder, { project_id: project.id }, { key: 'folder_imports' })
      const target = archivePath(ctx.config, file)
      renameDurably(sent.path, target)
      stored = target
      return projectById(ctx.db, project.id)!
    })
  } catch (error) {
    if (stored) rmSync(stored, { force: true })
    const sentence = error instanceof Failure && error.kind !== 'not_found' ? firstSentence(error) : undefined
    throw sentence === undefined ? error : fail('bad_request', sentence)
  }
}
