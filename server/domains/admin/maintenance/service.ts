import { stat } from 'node:fs/promises'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { repoAt } from '../../../git/engine.ts'
import { enqueue } from '../../../jobs/job.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { projectById, repoOf, updateProjectRow, type Project } from '../../projects/index.ts'
import { housekeeping } from './jobs.ts'
import { tarOf } from './tar.ts'

/** So long nobody needs to tidy up again. */
const PAUSE_MINUTES = 60

/** Has the repository tidied up. Throws 409 when somebody did so within the last hour. */
export function triggerHousekeeping(ctx: Ctx, project: Project): void {
  tx(ctx.db, () => {
    const last = projectById(ctx.db, project.id)?.housekeeping_at
    if (last && Date.parse(ctx.now) - Date.parse(last) < PAUSE_MINUTES * 60_000) {
      const sentence = `Somebody already triggered housekeeping for this resource in the past ${PAUSE_MINUTES} minutes`
      throw fail('conflict', sentence)
    }
    updateProjectRow(ctx.db, project.id, { housekeeping_at: ctx.now })
    // The same key as the packing after pushes: the two never run beside each other.
    const key = `repository.housekeeping:${project.id}`
    enqueue(ctx, housekeeping, { project_id: project.id }, { key })
  })
}

/** The folder of the repository, or of the wiki's beside it, as a tar archive. Throws 404 when there is none. */
export async function snapshotOf(ctx: Ctx, project: Project, wiki: boolean) {
  const own = repoOf(ctx, project)
  const repo = wiki ? repoAt(ctx.git, own.gitDir.replace(/\.git$/, '.wiki.git')) : own
  if (!(await stat(repo.gitDir).catch(() => undefined))) throw notFound()
  const headers = { 'Content-Disposition': 'attachment; filename="snapshot.tar"' }
  // Moved meanwhile, the repository stays here until this was read.
  const leave = ctx.git.traffic.read([repo.gitDir])
  return { type: 'application/x-tar', body: tarOf(repo.gitDir).once('close', leave), headers }
}
