import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { dataPaths } from '../../../../config.ts'
import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { listRefs, updateRefs } from '../../../../git/refs.ts'
import { repositoryExists, withWriteLock } from '../../../../git/repository.ts'
import type { Repo } from '../../../../git/types.ts'
import { removalsOf } from '../../../../lib/gate.ts'
import { projectById, repoOf, updateProjectRow } from '../../../projects/index.ts'
import { requestStatistics } from '../../../repository/index.ts'
import { repoOfWiki, wikiOfProject } from '../../../wikis/index.ts'

/** What hangs from these goes with them. */
const TABLES = [
  'merge_requests',
  'issues',
  'releases',
  'milestones',
  'labels',
  'protected_branches',
  'push_rules',
  'lfs_objects_projects',
  'uploads',
  'import_marks',
] as const
/** Rows that go in one transaction. */
const BATCH = 20

/**
 * Takes back all that an import has brought into a project so far: nothing half made is to be seen. The project stays, empty. To be
 * called where nobody has worked in it yet, when its import has failed or was canceled; may be repeated.
 */
export async function discardLanded(ctx: Ctx, projectId: number): Promise<void> {
  for (const table of TABLES) {
    const [key, batch] = table === 'import_marks' ? ['(kind, source_key)', 500] : ['id', BATCH]
    const some = `SELECT ${key.replace(/[()]/g, '')} FROM ${table} WHERE project_id = ? LIMIT ${batch}`
    const sql = `DELETE FROM ${table} WHERE project_id = ? AND ${key} IN (${some})`
    while (tx(ctx.db, () => ctx.db.exec(sql, projectId, projectId)).changes > 0) await nextTurn()
  }
  ctx.db.exec('DELETE FROM internal_ids WHERE project_id = ?', projectId)
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

/** Without refs nothing of it is to be seen; housekeeping removes the objects. */
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
