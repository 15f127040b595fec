import type { Ctx } from '../../../ctx.ts'
import { readCommits } from '../../../git/read/commits.ts'
import { GitRefError } from '../../../git/errors.ts'
import { divergence, isAncestor } from '../../../git/read/graph.ts'
import { isBranchName } from '../../../git/names.ts'
import { topOfLine } from '../../../git/plain/line.ts'
import { listBranches as readBranches, mergedBranches, type RefOrder } from '../../../git/write/refs.ts'
import { branchTip, resolveCommit } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import {
  abilities,
  fullPath,
  project as scope,
  type Project,
  inRepository,
  protectionsOf,
} from '../../projects/index.ts'
import type { RefChange } from '../checks/check.ts'
import { branchProblem, runChecks, refusalOf, notWritable } from '../checks/run-checks.ts'
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
  const mayPush = isAble(ctx, scope, abilities.push_code, project, true)
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

/** The maximum number of commits that are searched for an already known result. */
const LOOK_BACK = 32

/**
 * Returns the names of the branches that are merged into the default branch. Pairs of tips with a known result need
 * no process; all others share one.
 */
async function mergedOf(project: Project, repo: Repo, tips: readonly Tip[]): Promise<ReadonlySet<string>> {
  const main = await branchTip(repo, project.default_branch)
  const others = tips.filter((tip) => tip.target !== main)
  if (main === null || others.length === 0) return new Set()
  const key = (tip: Tip) => `${tip.target} ${main}`
  const keptOf = (tip: Tip, at: string) =>
    repo.git.cache.get<{ merged: boolean }>(repo, 'merged', `${tip.target} ${at}`)?.merged
  const top = others.some((tip) => keptOf(tip, main) === undefined)
    ? await topOfLine(repo, main, LOOK_BACK)
    : []
  // On a line without merges, a tip that is unmerged at one commit is unmerged at the later commits too, unless it is
  // one of them.
  const answerOf = (tip: Tip): boolean | undefined => {
    const cached = keptOf(tip, main)
    if (cached !== undefined) return cached
    for (const at of top) {
      if (at === tip.target) return true
      const earlier = keptOf(tip, at)
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
    const answer = answerOf(tip)
    if (answer !== undefined) remember(tip, answer)
    return answer === undefined
  })
  if (unknown.length === 1) remember(unknown[0]!, await isAncestor(repo, unknown[0]!.target, main))
  if (unknown.length > 1) {
    const merged = await mergedBranches(repo, main)
    for (const tip of unknown) remember(tip, merged.has(tip.name))
  }
  return names
}

async function tipOf(repo: Repo, name: string): Promise<string> {
  // A name that git refuses gets its own message (spec core 4.3).
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
    const target = (await resolveCommit(repo, input.ref)) ?? (await firstCommit(ctx, project, input.ref))
    if (target === null) throw fail('bad_request', `Invalid reference name: ${input.ref}`)
    // The first commit already created the default branch.
    if ((await branchTip(repo, name)) === target)
      return (await rowsOf(ctx, project, repo, [{ name, target }]))[0]!
    const change = { ref: `refs/heads/${name}`, old: null, new: target }
    const refusal = await runChecks({ ctx, project, repo, source: 'api', changes: [change] })
    if (refusal) throw fail(refusal.byPushRule ? 'bad_request' : 'forbidden', refusal.sentence)
    await move(ctx, project, change, 'Branch already exists')
    return (await rowsOf(ctx, project, repo, [{ name, target }]))[0]!
  })
}

/** If a branch is requested in an empty repository, its default branch starts with a README. */
async function firstCommit(ctx: Ctx, project: Project, ref: string): Promise<string | null> {
  if (!project.empty_repo || ref !== project.default_branch) return null
  const readme = { action: 'create', file_path: 'README.md', content: '' } as const
  const request = { branch: ref, commit_message: 'Add README.md', actions: [readme] }
  const created = await commitFiles(ctx, project, request, (sentence) => fail('forbidden', sentence))
  return created.id
}

/** Moves one ref. `taken` is the error message if another request created the ref after the first check. */
async function move(ctx: Ctx, project: Project, change: RefChange, taken: string): Promise<void> {
  try {
    await moveRefs(ctx, project, { source: 'api', changes: [change] })
  } catch (error) {
    if (error instanceof GitRefError && error.problem === 'exists') throw fail('bad_request', taken)
    throw error
  }
}

/** Deletes a branch. `before` receives its last commit and may refuse. */
export function deleteBranch(
  ctx: Ctx,
  project: Project,
  name: string,
  before: (updatedAt: string) => void,
): Promise<void> {
  return inRepository(ctx, project, async (repo) => {
    const target = await tipOf(repo, name)
    if (name === project.default_branch) throw fail('not_allowed', 'Cannot remove HEAD branch')
    const change = { ref: `refs/heads/${name}`, old: target, new: null }
    const refusal = await refusalOf({ ctx, project, repo, source: 'api', changes: [change] })
    if (refusal) throw fail(notWritable(project) ? 'forbidden' : 'not_allowed', refusal)
    const [commit] = await readCommits(repo, [target])
    if (commit) before(commit.committed_date)
    await moveRefs(ctx, project, { source: 'api', changes: [change] })
  })
}

const AT_ONCE = 500

/** Deletes all merged branches except the default branch and protected ones. */
export async function removeMergedBranches(ctx: Ctx, project: Project): Promise<void> {
  const problem = notWritable(project)
  if (problem) throw fail('forbidden', problem)
  await inRepository(ctx, project, async (repo) => {
    const main = await branchTip(repo, project.default_branch)
    if (main === null) return
    const protections = protectionsOf(ctx.db, project.id)
    const [all, merged] = await Promise.all([readBranches(repo), mergedBranches(repo, main)])
    const doomed = all.filter(
      ({ name }) =>
        merged.has(name) && name !== project.default_branch && protecting(protections, name).length === 0,
    )
    for (let at = 0; at < doomed.length; at += AT_ONCE) {
      const changes = doomed
        .slice(at, at + AT_ONCE)
        .map((branch) => ({ ref: branch.ref, old: branch.target, new: null }))
      await moveRefs(ctx, project, { source: 'api', changes })
    }
  })
}
