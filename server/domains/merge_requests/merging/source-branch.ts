import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { GitRefError } from '../../../git/errors.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { enqueue, job, type Job } from '../../../jobs/job.ts'
import { columnChanges } from '../../../lib/column-changes.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import {
  project as scope,
  projectAbilities,
  projectById,
  repoOf,
  type Project,
  protectionsOf,
} from '../../projects/index.ts'
import { moveRefs, protecting, refusalOf } from '../../repository/index.ts'
import { sourceProject } from '../diffs/branches.ts'
import { openInto } from '../diffs/store.ts'
import { eventFields, MergeRequestUpdated } from '../events.ts'
import { actingAs } from '../policy.ts'
import { mergeRequestNoteable } from '../service-notes.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { clearAutoMerge } from './auto-merge-state.ts'

/** The maximum number of merge requests that are retargeted. */
const MAX_RETARGETED = 4

/**
 * Retargets merge requests into a branch that was merged and removed. They get the target branch of that merge, so that
 * chains of merge requests stay intact. `ctx` acts as the user who removed the branch.
 */
function retargetChain(ctx: Ctx, merged: MergeRequestRow): void {
  if (merged.source_project_id !== merged.project_id) return
  for (const request of openInto(ctx.db, merged.project_id, merged.source_branch).slice(0, MAX_RETARGETED)) {
    tx(ctx.db, () => retarget(ctx, request, merged.target_branch))
  }
}

function retarget(ctx: Ctx, request: MergeRequestRow, target_branch: string): void {
  if (request.source_project_id === request.project_id && request.source_branch === target_branch) return
  if (store.openDuplicate(ctx.db, { ...request, target_branch }, request.id) !== undefined) return
  clearAutoMerge(ctx, request, 'target branch was changed')
  const retargeted = store.update(ctx.db, request.id, {
    target_branch,
    merge_status: 'unchecked',
    checked_source_sha: null,
    checked_target_sha: null,
    updated_at: ctx.now,
    updated_by_id: ctx.actor.id,
  })
  const body = `deleted the \`${request.target_branch}\` branch. This merge request now targets the \`${target_branch}\` branch`
  const author_id = ctx.actor.id ?? request.author_id
  writeSystemNote(ctx, mergeRequestNoteable(request), { action: 'branch', body, author_id })
  publish(ctx, MergeRequestUpdated, {
    ...eventFields(ctx, request),
    changed: ['target_branch'],
    previous: { target_branch: request.target_branch },
    changes: columnChanges(request, retargeted),
  })
}

/** Removes the source branch of a merged merge request, as the user who chose the removal. */
export const removeBranchJob: Job<{ merge_request_id: number; actor_id: number | null }> = job(
  'merge_requests.remove_source_branch',
  { args: { merge_request_id: z.number(), actor_id: z.number().nullable() } },
  async (ctx, args) => {
    const request = store.byId(ctx.db, args.merge_request_id)
    const project = request && projectById(ctx.db, request.project_id)
    const source = project && sourceProject(ctx, project, request)
    if (request?.state === 'merged' && source)
      await removeBranch(actingAs(ctx, args.actor_id), source, request)
  },
)

/** Enqueues the removal of the source branch, if a user chose it at the merge or before. */
export function requestRemoval(ctx: Ctx, request: MergeRequestRow): void {
  const { should_remove_source_branch: chosenAtMerge, force_remove_source_branch: chosenByAuthor } = request
  if (!(chosenAtMerge ?? chosenByAuthor ?? false)) return
  // The removal runs as the author if the author chose it: the user who merges may not be able to push to the fork.
  const actor_id = chosenByAuthor === true ? request.author_id : ctx.actor.id
  enqueue(ctx, removeBranchJob, { merge_request_id: request.id, actor_id })
}

/** Removes the branch, unless it is protected, has new commits, or the actor may not push. */
async function removeBranch(ctx: Ctx, source: Project, request: MergeRequestRow): Promise<void> {
  const { source_branch: branch, head_sha } = request
  if (ctx.actor.kind !== 'user' || branch === source.default_branch) return
  if (protecting(protectionsOf(ctx.db, source.id), branch).length > 0) return
  if (!hasAbility(ctx, scope, projectAbilities.push_code, source, true)) return
  const repo = repoOf(ctx, source)
  const tip = await branchTip(repo, branch)
  if (tip === null || tip !== head_sha) return
  const changes = [{ ref: `refs/heads/${branch}`, old: tip, new: null }]
  if (await refusalOf({ ctx, project: source, repo, source: 'api', changes })) return
  try {
    await moveRefs(ctx, source, { source: 'api', changes, after: () => retargetChain(ctx, request) })
  } catch (error) {
    // A concurrent push keeps the branch.
    if (!(error instanceof GitRefError)) throw error
  }
}
