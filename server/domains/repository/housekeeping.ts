import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { collectGarbage, packRepository, repackRepository } from '../../git/upkeep/collect-garbage.ts'
import { sweepRepository } from '../../git/upkeep/stale-locks.ts'
import { enqueue, job } from '../../jobs/job.ts'
import { projectById, repoOf } from '../projects/index.ts'
import { settingsOf, type Settings } from '../settings/index.ts'

/** What is done to a repository: what is new is packed, everything is packed anew, or what nothing leads to goes as well. */
const TASKS = ['pack', 'repack', 'gc'] as const
type Task = (typeof TASKS)[number]

const WORK = { pack: packRepository, repack: repackRepository, gc: collectGarbage }

/** Tidies up a repository and removes what pushes that were cut off left behind. */
export const housekeeping = job(
  'repository.housekeeping',
  { args: { project_id: z.number(), task: z.enum(TASKS).optional() } },
  async (ctx, { project_id, task = 'pack' }) => {
    const found = projectById(ctx.db, project_id)
    if (!found || found.repository_read_only) return
    const repo = repoOf(ctx, found)
    await sweepRepository(repo)
    await WORK[task](repo)
  },
)

/** Asks for a repository to be tidied up. */
export function requestHousekeeping(ctx: Ctx, projectId: number, task: Task = 'pack'): void {
  const key = `repository.housekeeping:${projectId}`
  enqueue(ctx, housekeeping, { project_id: projectId, task }, { key, once: `${key}:${task}` })
}

/** Counts a push, and has the repository tidied up where that makes enough of them (spec administration 1.2). */
export function countPush(ctx: Ctx, projectId: number): void {
  const settings = settingsOf(ctx)
  if (!settings.housekeeping_enabled) return
  tx(ctx.db, () => {
    const counted = ctx.db.one<{ pushes_count: number }>(
      'UPDATE projects SET pushes_count = pushes_count + 1 WHERE id = ? RETURNING pushes_count',
      projectId,
    )
    const task = counted && taskAfter(counted.pushes_count, settings)
    if (task) requestHousekeeping(ctx, projectId, task)
  })
}

/** What is due after so many pushes: the most thorough of what is. */
function taskAfter(pushes: number, settings: Settings): Task | undefined {
  const isDue = (period: number) => pushes % period === 0
  if (isDue(settings.housekeeping_gc_period)) return 'gc'
  if (isDue(settings.housekeeping_full_repack_period)) return 'repack'
  const { housekeeping_incremental_repack_period: few, housekeeping_optimize_repository_period: some } =
    settings
  return isDue(few) || isDue(some) ? 'pack' : undefined
}
