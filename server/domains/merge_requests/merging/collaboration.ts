import type { Ctx } from '../../../ctx.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import {
  project as scope,
  projectAbilities,
  projectById,
  repoOf,
  type Project,
} from '../../projects/index.ts'
import {
  checkGitAccess,
  readOnlyProblem,
  projectAt,
  pushRulesOf,
  Refusal,
  type GitRequest,
  type GitTarget,
} from '../../repository/index.ts'
import { mayMergeInto } from '../policy.ts'
import { openToCollaborationFrom } from '../store.ts'

const REFUSAL = 'You may only push to branches of merge requests that allow collaboration.'

/**
 * Serves pushes to a fork by users who may not push to it, but may merge one of its open merge requests with
 * `allow_collaboration`. They may push to the source branches of these merge requests. All push checks apply.
 */
export function openToCollaborators(ctx: Ctx, request: GitRequest): GitTarget | undefined {
  if (request.purpose !== 'write' || ctx.actor.kind !== 'user') return undefined
  const fork = projectAt(ctx, request.path)
  if (!fork || hasAbility(ctx, scope, projectAbilities.push_code, fork)) return undefined
  if (!canRead(ctx, scope, fork) || !hasAbility(ctx, scope, projectAbilities.read_code, fork))
    return undefined
  if (fork.repository_state !== 'ready' || openBranches(ctx, fork).size === 0) return undefined
  checkGitAccess(ctx, fork, request)
  const problem = readOnlyProblem(fork)
  if (problem) throw new Refusal(403, problem)
  const repo = repoOf(ctx, fork)
  const rules = pushRulesOf(ctx, fork, repo)
  return {
    ctx,
    repo,
    pushHandler: {
      ...rules,
      async refusal(changes, push) {
        const open = openBranches(ctx, fork)
        const isOpen = changes.every(({ ref, new: to }) => to !== null && open.has(ref))
        return isOpen ? rules.refusal(changes, push) : REFUSAL
      },
    },
  }
}

/** Returns the refs of the branches of a fork that the actor may push to by `allow_collaboration`. */
function openBranches(ctx: Ctx, fork: Pick<Project, 'id'>): Set<string> {
  const open = openToCollaborationFrom(ctx.db, fork.id).filter((request) => {
    const target = projectById(ctx.db, request.project_id)
    return target !== undefined && mayMergeInto(ctx, target, request.target_branch)
  })
  return new Set(open.map((request) => `refs/heads/${request.source_branch}`))
}
