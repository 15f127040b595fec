import type { Ctx } from '../../../ctx.ts'
import { readCommits } from '../../../git/read/commits.ts'
import { GitRefError } from '../../../git/errors.ts'
import { divergence, isAncestor } from '../../../git/read/graph.ts'
import { isBranchName } from '../../../git/names.ts'
import { newestLinearIds } from '../../../git/plain/linear-history.ts'
import { listBranches as readBranches, mergedBranches, type RefOrder } from '../../../git/write/refs.ts'
import { branchTip, resolveCommit } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import {
  abilities,
  fullPath,
  project as scope,
  type Project,
  inRepository,
  protectionsOf,
} from '../../projects/index.ts'
import type { RefChange } from '../checks/check.ts'
import { branchProblem, runChecks, refusalOf, readOnlyProblem } from '../checks/run-checks.ts'
import { commitFiles } from '../commits/write.ts'
import { allows, allowsDevelopers, protecting, pusherOf } from '../protected_refs/rules.ts'
import { byExpression, bySearch, refPage, type RefPage, type RefWindow } from '../service.ts'
import { moveRefs } from '../service-refs.ts'
import type { BranchRow } from '../refs/entity.ts'

interface Tip {
  readonly name: string
  readonly target: string
}

/** The filters and order of a list of branches. */
export interface BranchQuery {
  readonly search?: string | undefined
  readonly regex?: string | undefined
  readonly sort?: 'name_asc' | 'updated_asc' | 'updated_desc' | undefined
}

const ORDERS: Readonly<Record<string, RefOrder>> = {
  updated_asc: 'updated_asc',
  updated_desc: 'updated_desc',
}

/** Lists branches by name or by their last commit. */
export function findBranches(
  ctx: Ctx,
  project: Project,
  query: BranchQuery,
  window: RefWindow,
): Promise<RefPage<BranchRow>> {
  return inRepository(ctx, project, async (repo) => {
    const all = await readBranches(repo, { order: ORDERS[query.sort ?? ''] ?? 'name' })
    const page = refPage(byExpression(bySearch(all, query.search), query.regex), window)
    return { ...page, rows: await rowsOf(ctx, project, repo, page.rows) }
  })
}

async function rowsOf(ctx: Ctx, project: Project, repo: Repo, tips: readonly Tip[]): Promise<BranchRow[]> {
  const ids = tips.map((tip) => tip.target)
  const [commits, merged] = await Promise.all([readCommits(repo, ids), mergedOf(project, repo, tips)])
  const byId = new Map(commits.map((commit) => [commit.id, commit]))
  const protections = protectionsOf(ctx.db, project.id)
  const pusher = pusherOf(ctx, project)
  const mayPush = hasAbility(ctx, scope, abilities.push_code, project, true)
  return tips.flatMap(({ name, target }) => {
    const commit = byId.get(target)
    // The branch was deleted or damaged after the list was read.
    if (!commit) return []
    const matching = protecting(protections, name)
    return {
      name,
      commit,
      path: fullPath(project),
      merged: merged.has(name),
      protected: matching.length > 0,
      default: name === project.default_branch,
      developers_can_push: allowsDevelopers(matching, 'push'),
      developers_can_merge: allowsDevelopers(matching, 'merge'),
      can_push: mayPush && allows(matching, 'push', pusher),
    }
  })
}

/** Counts the commits by which branches and the default branch have diverged. Unknown branches are left out. */
export function findDivergence(
  ctx: Ctx,
  project: Project,
  names: readonly string[],
): Promise<{ readonly name: string; readonly ahead: number; readonly behind: number }[]> {
  return inRepository(ctx, project, async (repo) => {
    const main = await branchTip(repo, project.default_branch)
    if (main === null) return []
    const result = []
    for (const name of new Set(names)) {
      const tip = isBranchName(name) ? await branchTip(repo, name) : null
      if (tip !== null) result.push({ name, ...(await divergence(repo, tip, main)) })
    }
    return result
  })
}

/** The maximum number of commits for which cached results are looked up. */
const MAX_LOOKED_UP = 32

/**
 * Returns the names of the branches that are merged into the default branch. Branches with a cached result need no git
 * process; one process finds the results of all others.
 */
async function mergedOf(project: Project, repo: Repo, tips: readonly Tip[]): Promise<ReadonlySet<string>> {
  const main = await branchTip(repo, project.default_branch)
  const others = tips.filter((tip) => tip.target !== main)
  if (main === null || others.length === 0) return new Set()
  const key = (tip: Tip) => `${tip.target} ${main}`
  const cachedResult = (tip: Tip, commit: string) =>
    repo.git.cache.get<{ merged: boolean }>(repo, 'merged', `${tip.target} ${commit}`)?.merged
  const newest = others.some((tip) => cachedResult(tip, main) === undefined)
    ? await newestLinearIds(repo, main, MAX_LOOKED_UP)
    : []
  // In a linear history, a result for an earlier commit also applies to later commits, unless the tip is one of them.
  const knownResult = (tip: Tip): boolean | undefined => {
    const cached = cachedResult(tip, main)
    if (cached !== undefined) return cached
    for (const commit of newest) {
      if (commit === tip.target) return true
      const earlier = cachedResult(tip, commit)
      if (earlier !== undefined) return earlier
    }
    return undefined
  }
  const names = new Set<string>()
  const remember = (tip: Tip, merged: boolean): void => {
    repo.git.cache.set(repo, 'merged', key(tip), { content: { merged }, bytes: 300 })
    if (merged) names.add(tip.name)
  }
  const unknown = others.filter((tip) => {
    const merged = knownResult(tip)
    if (merged !== undefined) remember(tip, merged)
    return merged === undefined
  })
  if (unknown.length === 1) remember(unknown[0]!, await isAncestor(repo, unknown[0]!.target, main))
  if (unknown.length > 1) {
    const merged = await mergedBranches(repo, main)
    for (const tip of unknown) remember(tip, merged.has(tip.name))
  }
  return names
}

async function tipOf(repo: Repo, name: string): Promise<string> {
  // The contract has its own sentence for a name that git refuses (spec core 4.3).
  if (!isBranchName(name)) throw fail('bad_request', 'The branch refname is invalid')
  const target = await branchTip(repo, name)
  if (target === null) throw notFound('Branch')
  return target
}

/** Returns one branch by its name. */
export function getBranch(ctx: Ctx, project: Project, name: string): Promise<BranchRow> {
  return inRepository(ctx, project, async (repo) => {
    const target = await tipOf(repo, name)
    const [row] = await rowsOf(ctx, project, repo, [{ name, target }])
    if (!row) throw notFound('Branch')
    return row
  })
}

/** Creates a branch at a branch, tag or commit. */
export function createBranch(
  ctx: Ctx,
  project: Project,
  input: { branch: string; ref: string },
): Promise<BranchRow> {
  return inRepository(ctx, project, async (repo) => {
    const name = input.branch
    if (branchProblem(name)) throw fail('bad_request', 'Branch name is invalid')
    if ((await branchTip(repo, name)) !== null) throw fail('bad_request', 'Branch already exists')
    const existing = await resolveCommit(repo, input.ref)
    const first = existing === null ? await firstCommit(ctx, project, input.ref) : null
    const target = existing ?? first
    if (target === null) throw fail('bad_request', `Invalid reference name: ${input.ref}`)
    // The first commit already created the default branch. Without it, a branch that is there now is another request's.
    if (first !== null && (await branchTip(repo, name)) === target)
      return (await rowsOf(ctx, project, repo, [{ name, target }]))[0]!
    const change = { ref: `refs/heads/${name}`, old: null, new: target }
    const refusal = await runChecks({ ctx, project, repo, source: 'api', changes: [change] })
    if (refusal) throw fail(refusal.byPushRule ? 'bad_request' : 'forbidden', refusal.sentence)
    await moveRef(ctx, project, change, 'Branch already exists')
    return (await rowsOf(ctx, project, repo, [{ name, target }]))[0]!
  })
}

/**
 * Creates the default branch of an empty repository with a README, if the new branch starts there. Returns its commit, or
 * null if the ref is not the default branch of an empty repository.
 */
async function firstCommit(ctx: Ctx, project: Project, ref: string): Promise<string | null> {
  if (!project.empty_repo || ref !== project.default_branch) return null
  const readme = { action: 'create', file_path: 'README.md', content: '' } as const
  const request = { branch: ref, commit_message: 'Add README.md', actions: [readme] }
  const created = await commitFiles(ctx, project, request, (sentence) => fail('forbidden', sentence))
  return created.id
}

/** Moves one ref. `existsMessage` is the error message if another request created the ref in the meantime. */
async function moveRef(ctx: Ctx, project: Project, change: RefChange, existsMessage: string): Promise<void> {
  try {
    await moveRefs(ctx, project, { source: 'api', changes: [change] })
  } catch (error) {
    if (error instanceof GitRefError && error.problem === 'exists') throw fail('bad_request', existsMessage)
    throw error
  }
}

/** Deletes a branch. Before that, `check` is called with the date of its last commit, and may throw. */
export function deleteBranch(
  ctx: Ctx,
  project: Project,
  name: string,
  check: (updatedAt: string) => void,
): Promise<void> {
  return inRepository(ctx, project, async (repo) => {
    const target = await tipOf(repo, name)
    if (name === project.default_branch) throw fail('not_allowed', 'Cannot remove HEAD branch')
    const change = { ref: `refs/heads/${name}`, old: target, new: null }
    const refusal = await refusalOf({ ctx, project, repo, source: 'api', changes: [change] })
    if (refusal) throw fail(readOnlyProblem(project) ? 'forbidden' : 'not_allowed', refusal)
    const [commit] = await readCommits(repo, [target])
    if (commit) check(commit.committed_date)
    await moveRefs(ctx, project, { source: 'api', changes: [change] })
  })
}

/** The number of branches that are deleted in one transaction. */
const BATCH_SIZE = 500

/** Deletes all merged branches except the default branch and protected ones. */
export async function removeMergedBranches(ctx: Ctx, project: Project): Promise<void> {
  const problem = readOnlyProblem(project)
  if (problem) throw fail('forbidden', problem)
  await inRepository(ctx, project, async (repo) => {
    const main = await branchTip(repo, project.default_branch)
    if (main === null) return
    const protections = protectionsOf(ctx.db, project.id)
    const [all, merged] = await Promise.all([readBranches(repo), mergedBranches(repo, main)])
    const deletable = all.filter(
      ({ name }) =>
        merged.has(name) && name !== project.default_branch && protecting(protections, name).length === 0,
    )
    for (let start = 0; start < deletable.length; start += BATCH_SIZE) {
      const changes = deletable
        .slice(start, start + BATCH_SIZE)
        .map((branch) => ({ ref: branch.ref, old: branch.target, new: null }))
      await moveRefs(ctx, project, { source: 'api', changes })
    }
  })
}
