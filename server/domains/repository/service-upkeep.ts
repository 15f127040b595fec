import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { collectGarbage, packRepository, repackRepository } from '../../git/upkeep/collect-garbage.ts'
import { sweepRepository } from '../../git/upkeep/stale-locks.ts'
import { enqueue, job, type Job } from '../../jobs/job.ts'
import { fullPath, projectById, repoOf, updateProjectRow, addPush } from '../projects/index.ts'
import { settingsOf, type Settings } from '../settings/index.ts'
import { checkAgain } from './service-refs.ts'
import * as store from './store.ts'
import { publish } from '../../events/publish.ts'
import { countCommits } from '../../git/read/log.ts'
import { countObjects } from '../../git/upkeep/repository.ts'
import { branchTip } from '../../git/read/revisions.ts'
import { listTree } from '../../git/read/tree.ts'
import type { Repo } from '../../git/types.ts'
import type { ChangeSource } from './checks/check.ts'
import { StatisticsUpdated } from './events.ts'

const project = { project_id: z.number() }

/** Returns the paths of the projects that receive a push now. A wiki or snippet has an empty path in the list. */
export function runningPushes(ctx: Ctx): string[] {
  return ctx.git.traffic.pushTargets().map((key) => {
    const id = store.projectAt(ctx.db, key)
    const row = id === undefined ? undefined : projectById(ctx.db, id)
    return row ? fullPath(row) : ''
  })
}

/** A repository with this many is packed. Git's own limits (6,700 objects, 50 packs) are slow on a desktop disk. */
const LOOSE_OBJECTS = 2000
const PACKS = 20

/** Recalculates the size and counts of a repository after a change, and packs it if necessary. */
const updateStatistics = job('repository.update_statistics', { args: project }, async (ctx, args) => {
  const row = projectById(ctx.db, args.project_id)
  if (!row) return
  const repo = repoOf(ctx, row)
  const tip = await branchTip(repo, row.default_branch)
  const [objects, commit_count, readme_path] = await Promise.all([
    countObjects(repo),
    tip === null ? 0 : countCommits(repo, { range: { tips: [tip] } }),
    tip === null ? null : readmeOf(repo, tip),
  ])
  // The project was deleted in the meantime.
  if (!projectById(ctx.db, row.id)) return
  tx(ctx.db, () => {
    updateProjectRow(ctx.db, row.id, { repository_size: objects.bytes, commit_count, readme_path })
    publish(ctx, StatisticsUpdated, { project_id: row.id })
  })
  const needsPacking = objects.loose >= LOOSE_OBJECTS || objects.packs >= PACKS
  if (needsPacking && settingsOf(ctx).housekeeping_enabled) requestHousekeeping(ctx, row.id)
})

const README = /^readme(\.(md|markdown|mdown|mkd|txt|rst|adoc|asciidoc|org|rdoc))?$/i

/** Finds the README; a Markdown file is preferred. */
async function readmeOf(repo: Repo, commit: string): Promise<string | null> {
  const entries = (await listTree(repo, commit))?.entries ?? []
  const readmes = entries.filter((entry) => entry.type === 'blob' && README.test(entry.name))
  return (readmes.find((entry) => /\.(md|markdown|mdown|mkd)$/i.test(entry.name)) ?? readmes[0])?.path ?? null
}

/** The delay after a push, since its client still reads the answer, and more pushes often follow. */
const AFTER_PUSH_MS = 1000

/** Requests new statistics of a project; a second request while one waits changes nothing. */
export function requestStatistics(ctx: Ctx, projectId: number, source?: ChangeSource): void {
  const key = `repository.statistics:${projectId}`
  const delay = source === 'push' ? AFTER_PUSH_MS : 0
  enqueue(ctx, updateStatistics, { project_id: projectId }, { key, once: key, delay })
}

/** The tasks: pack new objects, repack all objects, or also remove unreachable objects. */
const TASKS = ['pack', 'repack', 'gc'] as const
type Task = (typeof TASKS)[number]

const COMMANDS = { pack: packRepository, repack: repackRepository, gc: collectGarbage }

/** Packs a repository and deletes the leftovers of interrupted pushes. */
const housekeeping = job(
  'repository.housekeeping',
  { args: { project_id: z.number(), task: z.enum(TASKS).optional() } },
  async (ctx, { project_id, task = 'pack' }) => {
    const row = projectById(ctx.db, project_id)
    if (!row || row.repository_read_only) return
    const repo = repoOf(ctx, row)
    await sweepRepository(repo)
    await COMMANDS[task](repo)
  },
)

/** Requests housekeeping for a repository. `delay` in milliseconds. */
export function requestHousekeeping(ctx: Ctx, projectId: number, task: Task = 'pack', delay = 0): void {
  const key = `repository.housekeeping:${projectId}`
  enqueue(ctx, housekeeping, { project_id: projectId, task }, { key, once: `${key}:${task}`, delay })
}

/** The delay after a push, so that a series of pushes is packed once, after its end. */
const AFTER_PUSHES_MS = 5 * 60_000

/** Counts a push, and requests housekeeping after a configured number of pushes (spec administration 1.2). */
export function countPush(ctx: Ctx, projectId: number): void {
  const settings = settingsOf(ctx)
  if (!settings.housekeeping_enabled) return
  tx(ctx.db, () => {
    const pushes = addPush(ctx.db, projectId)
    const task = pushes && taskAfter(pushes, settings)
    if (task) requestHousekeeping(ctx, projectId, task, AFTER_PUSHES_MS)
  })
}

/** Returns the most thorough task that the settings require after this number of pushes. */
function taskAfter(pushes: number, settings: Settings): Task | undefined {
  const isDue = (period: number) => pushes % period === 0
  if (isDue(settings.housekeeping_gc_period)) return 'gc'
  if (isDue(settings.housekeeping_full_repack_period)) return 'repack'
  const {
    housekeeping_incremental_repack_period: incrementalPeriod,
    housekeeping_optimize_repository_period: optimizePeriod,
  } = settings
  return isDue(incrementalPeriod) || isDue(optimizePeriod) ? 'pack' : undefined
}

export const jobs: Job[] = [checkAgain, updateStatistics, housekeeping]
