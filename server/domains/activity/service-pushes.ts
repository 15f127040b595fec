import type { Ctx } from '../../ctx.ts'
import { countCommits, listCommits } from '../../git/read/log.ts'
import { branchTip, resolveCommit } from '../../git/read/revisions.ts'
import type { Repo } from '../../git/types.ts'
import { projectById, repoOf, type Project } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'
import type { PushData } from './types.ts'
import { record } from './service.ts'

interface RefUpdate {
  readonly ref: string
  readonly old: string | null
  readonly new: string | null
}

/** The maximum length of a commit title in the feed. */
const MAX_TITLE = 70

/**
 * Records one event for each ref of a push. If there are more than the settings allow (`push_event_activities_limit`),
 * records one event for all branches and one for all tags.
 */
export async function recordPush(
  ctx: Ctx,
  event: { project_id: number; actor_id: number | null; updates: readonly RefUpdate[] },
): Promise<void> {
  const project = projectById(ctx.db, event.project_id)
  if (!project || event.actor_id === null) return
  for (const type of ['branch', 'tag'] as const) {
    const updates = event.updates.filter(({ ref }) => typeOf(ref) === type)
    if (updates.length === 0) continue
    const isMany = updates.length > settingsOf(ctx).push_event_activities_limit
    const pushes = isMany
      ? [summaryOf(updates, type)]
      : await Promise.all(updates.map((update) => pushDataOf(ctx, project, update, type)))
    for (const push of pushes) {
      const details = JSON.stringify(push)
      record(ctx, { project_id: project.id, author_id: event.actor_id, action: 'pushed', details })
    }
  }
}

function typeOf(ref: string): 'branch' | 'tag' | undefined {
  if (ref.startsWith('refs/heads/')) return 'branch'
  return ref.startsWith('refs/tags/') ? 'tag' : undefined
}

function actionOf(update: RefUpdate): PushData['action'] {
  if (update.new === null) return 'removed'
  return update.old === null ? 'created' : 'pushed'
}

function summaryOf(updates: readonly RefUpdate[], ref_type: PushData['ref_type']): PushData {
  const actions = new Set(updates.map(actionOf))
  return {
    commit_count: 0,
    action: actions.size === 1 ? [...actions][0]! : 'pushed',
    ref_type,
    commit_from: null,
    commit_to: null,
    ref: null,
    commit_title: null,
    ref_count: updates.length,
  }
}

async function pushDataOf(
  ctx: Ctx,
  project: Project,
  update: RefUpdate,
  ref_type: PushData['ref_type'],
): Promise<PushData> {
  const repo = repoOf(ctx, project)
  const tip = update.new === null ? null : await resolveCommit(repo, update.new)
  const tipCommit =
    tip === null ? undefined : (await listCommits(repo, { range: { tips: [tip] }, limit: 1 }))[0]
  return {
    commit_count: tip === null || ref_type === 'tag' ? 0 : await commitsOf(repo, project, update, tip),
    action: actionOf(update),
    ref_type,
    commit_from: update.old,
    commit_to: update.new,
    ref: update.ref.replace(/^refs\/(heads|tags)\//, ''),
    commit_title: tipCommit?.title.slice(0, MAX_TITLE) ?? null,
    ref_count: null,
  }
}

/** Counts the commits of a push. For a new branch, counts the commits that the default branch does not have. */
async function commitsOf(repo: Repo, project: Project, update: RefUpdate, tip: string): Promise<number> {
  const isDefault = update.ref === `refs/heads/${project.default_branch}`
  const base = update.old ?? (isDefault ? null : await branchTip(repo, project.default_branch))
  const baseCommit = base === null ? null : await resolveCommit(repo, base)
  return countCommits(repo, { range: { tips: [tip], not: baseCommit === null ? [] : [baseCommit] } })
}
