import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { countCommits } from '../../git/read/log.ts'
import { countObjects } from '../../git/upkeep/repository.ts'
import { branchTip } from '../../git/read/revisions.ts'
import { listTree } from '../../git/read/tree.ts'
import type { Repo } from '../../git/types.ts'
import { enqueue, job } from '../../jobs/job.ts'
import { projectById, repoOf, updateProjectRow } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'
import type { ChangeSource } from './checks/check.ts'
import { StatisticsUpdated } from './events.ts'
import { requestHousekeeping } from './housekeeping.ts'

const project = { project_id: z.number() }

/** From here on packing pays: git itself packs at 6,700 loose objects or 50 packs, which a desktop disk feels. */
const LOOSE_OBJECTS = 2000
const PACKS = 20

/** Works out sizes and counts of a repository after it changed, and packs it when that is due. */
export const updateStatistics = job('repository.update_statistics', { args: project }, async (ctx, args) => {
  const found = projectById(ctx.db, args.project_id)
  if (!found) return
  const repo = repoOf(ctx, found)
  const tip = await branchTip(repo, found.default_branch)
  const [objects, commit_count, readme_path] = await Promise.all([
    countObjects(repo),
    tip === null ? 0 : countCommits(repo, { range: { tips: [tip] } }),
    tip === null ? null : readmeOf(repo, tip),
  ])
  // Deleted while git counted.
  if (!projectById(ctx.db, found.id)) return
  tx(ctx.db, () => {
    updateProjectRow(ctx.db, found.id, { repository_size: objects.bytes, commit_count, readme_path })
    publish(ctx, StatisticsUpdated, { project_id: found.id })
  })
  const isCrowded = objects.loose >= LOOSE_OBJECTS || objects.packs >= PACKS
  if (isCrowded && settingsOf(ctx).housekeeping_enabled) requestHousekeeping(ctx, found.id)
})

const README = /^readme(\.(md|markdown|mdown|mkd|txt|rst|adoc|asciidoc|org|rdoc))?$/i

/** The file that introduces the project: Markdown before other text. */
async function readmeOf(repo: Repo, commit: string): Promise<string | null> {
  const entries = (await listTree(repo, commit))?.entries ?? []
  const found = entries.filter((entry) => entry.type === 'blob' && README.test(entry.name))
  return (found.find((entry) => /\.(md|markdown|mdown|mkd)$/i.test(entry.name)) ?? found[0])?.path ?? null
}

/** Counting starts this long after a push: its client still reads the answer, and pushes often come in a row. */
const AFTER_PUSH_MS = 1000

/** Asks for the statistics of a project to be worked out; while one such request waits, another adds nothing. */
export function requestStatistics(ctx: Ctx, projectId: number, source?: ChangeSource): void {
  const key = `repository.statistics:${projectId}`
  const delay = source === 'push' ? AFTER_PUSH_MS : 0
  enqueue(ctx, updateStatistics, { project_id: projectId }, { key, once: key, delay })
}
