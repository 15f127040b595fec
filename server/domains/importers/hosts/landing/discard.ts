import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { dataPaths } from '../../../../config.ts'
import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { HOST_A, HOST_B_SERVER } from '../../../../lib/aliases.ts'
import { listRefs, updateRefs } from '../../../../git/write/refs.ts'
import { repositoryExists, withWriteLock } from '../../../../git/upkeep/repository.ts'
import type { Repo } from '../../../../git/types.ts'
import { removalsOf } from '../../../../lib/gate.ts'
import { projectById, repoOf, updateProjectRow } from '../../../projects/index.ts'
import { requestStatistics } from '../../../repository/index.ts'
import * as store from './store.ts'
import { repoOfWiki, wikiOfProject } from '../../../wikis/index.ts'
import { importedPlanning } from '../../../planning/index.ts'

/**
 * Deletes everything that a failed or canceled import created in a project, which has no other content yet. Keeps the
 * empty project. May be repeated.
 */
export async function discardImported(ctx: Ctx, projectId: number): Promise<void> {
  for (const table of store.IMPORTED_TABLES)
    while (tx(ctx.db, () => store.deleteBatch(ctx.db, table, projectId))) await nextTurn()
  importedPlanning.resetNumbers(ctx.db, projectId)
  const project = projectById(ctx.db, projectId)
  if (!project) return
  updateProjectRow(ctx.db, projectId, { uploads_size: 0, empty_repo: true })
  const files = join(dataPaths(ctx.config.dataDir).uploads, 'project', String(projectId))
  await removalsOf(ctx.config).pass(() => rm(files, { recursive: true, force: true }))
  await emptyRepository(repoOf(ctx, project))
  const wiki = wikiOfProject(ctx.db, projectId)
  if (wiki) await emptyRepository(repoOfWiki(ctx, wiki))
  requestStatistics(ctx, projectId)
}

/** Deletes all refs. Housekeeping deletes the objects. */
async function emptyRepository(repo: Repo): Promise<void> {
  if (!(await repositoryExists(repo))) return
  await withWriteLock(repo, async () => {
    const refs = await listRefs(repo, 'refs/')
    await updateRefs(
      repo,
      refs.map(({ ref, oid }) => ({ ref, old: oid, new: null })),
    )
  })
}

const IMPORT_TYPES: readonly (string | null)[] = [HOST_A, HOST_B_SERVER]

/** Deletes everything that a canceled import from GitHub or Bitbucket Server created. */
export async function discardCanceled(ctx: Ctx, projectId: number): Promise<void> {
  const project = projectById(ctx.db, projectId)
  if (project?.import_status === 'canceled' && IMPORT_TYPES.includes(project.import_type))
    await discardImported(ctx, projectId)
}
