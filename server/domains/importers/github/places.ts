import type { Ctx } from '../../../ctx.ts'
import { enqueue } from '../../../jobs/job.ts'
import { HOST_A_JOBS_LIMIT } from '../../../http/aliases.ts'
import { settingsOf } from '../../settings/index.ts'
import { importHostA } from './jobs.ts'

const LOOK_AGAIN_MS = 2000

/** Works while as many imports as the settings allow are under way, and comes back later otherwise. */
export async function withPlace(ctx: Ctx, projectId: number, work: () => Promise<void>): Promise<void> {
  const ids = ctx.db.instance('importers.github_running', () => new Set<number>())
  if (ids.size >= Math.max(1, settingsOf(ctx)[HOST_A_JOBS_LIMIT])) {
    const options = { key: `host_imports:${projectId}`, delay: LOOK_AGAIN_MS }
    return enqueue(ctx, importHostA, { project_id: projectId }, options)
  }
  ids.add(projectId)
  try {
    await work()
  } finally {
    ids.delete(projectId)
  }
}
