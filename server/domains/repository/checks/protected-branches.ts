import { isAncestor } from '../../../git/graph.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { project as scope } from '../../projects/index.ts'
import { allows, allowsForce, protecting, type Pusher } from '../protected_refs/rules.ts'
import { protectionsOf, type Protection } from '../protected_refs/store.ts'
import { branchOf, type CheckInput, type RefChange } from './check.ts'

/** Protected branches: who may push, rewrite and delete them (spec core 4.4). */
export async function respectProtection(input: CheckInput): Promise<string | undefined> {
  const { ctx, project, changes } = input
  const protections = protectionsOf(ctx.db, project.id)
  if (protections.length === 0 || ctx.actor.kind === 'system') return undefined
  const pusher: Pusher = { actor: ctx.actor, role: scope.roleOf(ctx, project) }
  for (const change of changes) {
    const branch = branchOf(change.ref)
    const holding = branch === undefined ? [] : protecting(protections, branch)
    if (holding.length === 0) continue
    const problem = await protectionProblem(input, change, holding, pusher)
    if (problem) return problem
  }
  return undefined
}

async function protectionProblem(
  input: CheckInput,
  change: RefChange,
  holding: readonly Protection[],
  pusher: Pusher,
): Promise<string | undefined> {
  if (change.new === null) return deletionProblem(input, pusher)
  if (change.old !== null && !allowsForce(holding) && (await isForced(input, change))) {
    return 'You are not allowed to force push code to a protected branch on this project.'
  }
  // A merge is decided by the merge level, where it is made.
  if (input.source === 'merge' || allows(holding, 'push', pusher)) return undefined
  return change.old === null
    ? 'You are not allowed to create protected branches on this project.'
    : 'You are not allowed to push code to protected branches on this project.'
}

function deletionProblem({ source }: CheckInput, { actor, role }: Pusher): string | undefined {
  if (!actor.is_admin && role < MAINTAINER) {
    return 'You are not allowed to delete protected branches from this project. Only a maintainer or owner can.'
  }
  // A slip of the keyboard at a prompt is too easy; the window and the API ask for the branch by name.
  return source === 'push' ? 'You can only delete protected branches using the web interface.' : undefined
}

async function isForced({ repo, env }: CheckInput, change: RefChange): Promise<boolean> {
  return !(await isAncestor(repo, change.old!, change.new!, env ? { env } : {}))
}
