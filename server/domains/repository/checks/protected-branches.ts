import { isAncestor } from '../../../git/read/graph.ts'
import { refsContaining } from '../../../git/write/refs.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { defaultBranchProtection, protectionsOf, type Protection } from '../../projects/index.ts'
import { pusherOf, type Pusher, allows, allowsForce, protecting } from '../protected_refs/rules.ts'
import { branchOf, type CheckInput, type RefChange } from './check.ts'

/** Checks protected branches: who may push, force-push, create and delete them (spec core 4.4). */
export async function respectProtection(input: CheckInput): Promise<string | undefined> {
  const { ctx, project, changes } = input
  if (ctx.actor.kind === 'system') return undefined
  const protections = protectionsOf(ctx.db, project.id)
  const pusher = pusherOf(ctx, project)
  for (const change of changes) {
    const branch = branchOf(change.ref)
    if (branch === undefined) continue
    const holding = protecting(protections, branch)
    const problem =
      holding.length === 0
        ? firstPushProblem(input, pusher)
        : await protectionProblem(input, change, holding, pusher)
    if (problem) return problem
  }
  return undefined
}

/**
 * Values of `default_branch_protection` that reserve a project's first push for maintainers; 4 also admits
 * developers.
 */
const CLOSED_TO_DEVELOPERS: ReadonlySet<number> = new Set([2, 3])

/** The first push creates the default branch, which is protected from its first commit on (spec core 2.1). */
function firstPushProblem({ ctx, project }: CheckInput, { actor, role }: Pusher): string | undefined {
  if (!project.empty_repo || actor.is_admin || role >= MAINTAINER) return undefined
  if (!CLOSED_TO_DEVELOPERS.has(defaultBranchProtection(ctx, project))) return undefined
  return 'A default branch (e.g. main) does not yet exist for this project. Ask a project Owner or Maintainer to create a default branch: you are not allowed to push code to protected branches.'
}

async function protectionProblem(
  input: CheckInput,
  change: RefChange,
  holding: readonly Protection[],
  pusher: Pusher,
): Promise<string | undefined> {
  if (change.new === null) return deletionProblem(input, pusher)
  // The merge itself checks the merge level, and builds on the current tip.
  if (input.source === 'merge') return undefined
  if (change.old !== null && !allowsForce(holding) && (await isForced(input, change))) {
    return 'You are not allowed to force push code to a protected branch on this project.'
  }
  if (allows(holding, 'push', pusher)) return undefined
  return change.old === null
    ? creationProblem(input, change.new, holding, pusher)
    : 'You are not allowed to push code to protected branches on this project.'
}

/** Users who may merge but not push may create such a branch only from commits that are already protected. */
async function creationProblem(
  { ctx, project, repo, source }: CheckInput,
  commit: string,
  holding: readonly Protection[],
  pusher: Pusher,
): Promise<string | undefined> {
  if (!allows(holding, 'merge', pusher)) {
    return 'You are not allowed to create protected branches on this project.'
  }
  if (source === 'push') {
    return 'You can only create protected branches using the web interface and API.'
  }
  const protections = protectionsOf(ctx.db, project.id)
  const names = (await refsContaining(repo, commit, ['refs/heads/'])).map((ref) => branchOf(ref)!)
  return names.some((name) => protecting(protections, name).length > 0)
    ? undefined
    : 'You can only use an existing protected branch ref as the basis of a new protected branch.'
}

function deletionProblem({ source }: CheckInput, { actor, role }: Pusher): string | undefined {
  if (!actor.is_admin && role < MAINTAINER) {
    return 'You are not allowed to delete protected branches from this project. Only a maintainer or owner can.'
  }
  // A deletion by push is too easy to type by accident; the window and the API require the branch name.
  return source === 'push' ? 'You can only delete protected branches using the web interface.' : undefined
}

async function isForced({ repo, env }: CheckInput, change: RefChange): Promise<boolean> {
  return !(await isAncestor(repo, change.old!, change.new!, env ? { env } : {}))
}
