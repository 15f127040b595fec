import type { Ctx } from '../../../ctx.ts'
import { GitRefError } from '../../../git/errors.ts'
import { remoteHead } from '../../../git/transport/fetch.ts'
import { fetchUpstream, forgetUpstream, type UpstreamRefs } from '../../../git/transport/fetch-upstream.ts'
import { isAncestor } from '../../../git/read/graph.ts'
import { listRefs } from '../../../git/write/refs.ts'
import { readHead, writeHead } from '../../../git/upkeep/repository.ts'
import type { Repo } from '../../../git/types.ts'
import { cancelable, RunInterrupted } from '../../../jobs/runs.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { onBehalfOf } from '../../planning/index.ts'
import {
  importSourceOf,
  project as scope,
  projectById,
  repoOf,
  sealAddressCredentials,
  type ImportSource,
  type Project,
  protectionsOf,
} from '../../projects/index.ts'
import { moveRefs, readOnlyProblem, protecting } from '../../repository/index.ts'
import { areMirrorsRunning } from '../policy.ts'
import { reasonOf, UpdateRefused, stopwatch } from '../service-failures.ts'
import { branchPattern } from '../validation.ts'
import { recordStart, recordFailure, recordSuccess, postpone } from './states.ts'
import { find } from './store.ts'

const HOUR_MS = 3_600_000

/** The maximum number of attempts when concurrent pushes move refs. */
const MAX_ROUNDS = 3
const NOT_ALLOWED = 'The mirror user is not allowed to push code to all branches on this project.'

/**
 * Updates a project from its upstream repository as its mirror user, and records the result. Removes the upstream refs
 * when the project is no longer a pull mirror. Throws only when the update is canceled or the instance stops.
 */
export async function updateProject(ctx: Ctx, id: number): Promise<void> {
  const project = projectById(ctx.db, id)
  if (!project) return
  if (!project.mirror) return forgetUpstream(repoOf(ctx, project))
  const row = find(ctx.db, id)
  if (!areMirrorsRunning(ctx, project, row ?? { granted: false }) || readOnlyProblem(project))
    return postpone(ctx, id)
  recordStart(ctx, id)
  const elapsedClock = stopwatch(ctx)
  const source = sourceOf(ctx, project)
  try {
    if (!source) throw new UpdateRefused('There is no address to pull from.')
    const isFirst = row?.last_update_at == null
    const plan = await cancelable(ctx, { name: `pull:${id}`, project_id: id }, (signal) =>
      pullFromUpstream(ctx, project, source, { signal, isFirst }),
    )
    const endCtx = { ...ctx, now: elapsedClock() }
    if (plan.problems.length === 0) recordSuccess(endCtx, id, plan.diverged)
    else recordFailure(endCtx, id, plan.problems.join('\n\n'), plan.diverged)
  } catch (error) {
    if (error instanceof RunInterrupted) throw error
    ctx.log.warn({ err: error, project_id: id }, 'a pull mirror could not be updated')
    recordFailure(
      { ...ctx, now: elapsedClock() },
      id,
      reasonOf(error, source?.credentials ? [source.credentials.password] : []),
    )
  }
}

/** Returns the address and credentials of the upstream; undefined without one, or if they cannot be decrypted. */
function sourceOf(ctx: Ctx, project: Project): ImportSource | undefined {
  try {
    return importSourceOf(ctx, sealAddressCredentials(ctx, project))
  } catch (error) {
    ctx.log.error({ err: error, project_id: project.id }, 'the credentials of a mirror cannot be decrypted')
    return undefined
  }
}

async function pullFromUpstream(
  ctx: Ctx,
  project: Project,
  { url, authorization }: ImportSource,
  { signal, isFirst }: { signal: AbortSignal; isFirst: boolean },
): Promise<PullPlan> {
  const userCtx = onBehalfOf(ctx, project.mirror_user_id)
  const mayPush = userCtx && (userCtx.actor.is_admin || scope.roleOf(userCtx, project) >= MAINTAINER)
  if (!mayPush) throw new UpdateRefused(NOT_ALLOWED)
  const repo = repoOf(ctx, project)
  const remote = { url, authorization, address: await ctx.outbound.addressOfUrl(url, 'repository') }
  if (project.empty_repo) {
    // An empty project gets the default branch of upstream.
    const head = await remoteHead(repo, remote, { signal })
    if (head !== null) await writeHead(repo, head)
  }
  const isFollowed = await branchFilter(ctx, project, repo)
  const upstream = await fetchUpstream(repo, remote, {
    signal,
    timeoutMs: (isFirst ? 3 : 1) * HOUR_MS,
    isFollowed,
  })
  return moveToUpstream(userCtx, project, repo, upstream)
}

/** Returns the predicate for mirrored branches; undefined if all branches are mirrored. */
async function branchFilter(
  ctx: Ctx,
  project: Project,
  repo: Repo,
): Promise<((branch: string) => boolean) | undefined> {
  if (!project.only_mirror_protected_branches) {
    const source = find(ctx.db, project.id)?.mirror_branch_regex
    const pattern = source ? branchPattern(source) : undefined
    return pattern && ((branch) => pattern.test(branch))
  }
  const protections = protectionsOf(ctx.db, project.id)
  // The first branch of an empty project becomes protected when it is created.
  const head = project.empty_repo ? await readHead(repo) : null
  return (branch) => `refs/heads/${branch}` === head || protecting(protections, branch).length > 0
}

async function moveToUpstream(
  userCtx: Ctx,
  project: Project,
  repo: Repo,
  upstream: UpstreamRefs,
): Promise<PullPlan> {
  for (let round = 1; ; round++) {
    const current = projectById(userCtx.db, project.id)
    if (!current || !current.mirror) throw new RunInterrupted('canceled')
    const plan = await planPull(await planInputOf(current, repo, upstream))
    if (plan.changes.length === 0) return plan
    try {
      await moveRefs(userCtx, current, { source: 'mirror', changes: plan.changes })
      return plan
    } catch (error) {
      if (!(error instanceof GitRefError) || round === MAX_ROUNDS) throw error
    }
  }
}

async function planInputOf(project: Project, repo: Repo, upstream: UpstreamRefs) {
  const [branches, tags] = await Promise.all([
    shortNames(repo, 'refs/heads/'),
    shortNames(repo, 'refs/tags/'),
  ])
  return {
    upstream,
    local: { branches, tags },
    defaultBranch: project.default_branch,
    overwritesDiverged: project.mirror_overwrites_diverged_branches,
    isAncestor: (commit: string, tip: string) => isAncestor(repo, commit, tip),
  }
}

async function shortNames(repo: Repo, prefix: string): Promise<Map<string, string>> {
  return new Map((await listRefs(repo, prefix)).map(({ ref, oid }) => [ref.slice(prefix.length), oid]))
}

/** The branches and tags of both repositories, by short names, and the settings of the mirror. */
export interface PlanInput {
  readonly upstream: {
    readonly branches: ReadonlyMap<string, string>
    readonly tags: ReadonlyMap<string, string>
  }
  readonly local: {
    readonly branches: ReadonlyMap<string, string>
    readonly tags: ReadonlyMap<string, string>
  }
  readonly defaultBranch: string
  /** Whether diverged branches are overwritten. */
  readonly overwritesDiverged: boolean
  /** Whether the history of the second commit contains the first. */
  readonly isAncestor: (commit: string, tip: string) => Promise<boolean>
}

/** The ref changes of an update. */
export interface PullPlan {
  readonly changes: { ref: string; old: string | null; new: string }[]
  /** Diverged branches that stay unchanged. */
  readonly diverged: string[]
  /** The reasons why the update is incomplete, as sentences. */
  readonly problems: string[]
}

/**
 * Plans which branches and tags to move. Keeps branches that upstream deleted, and branches with local commits unless
 * diverged branches are overwritten (spec administration 5.3).
 */
export async function planPull(input: PlanInput): Promise<PullPlan> {
  const plan: PullPlan = { changes: [], diverged: [], problems: [] }
  const names = new Set(input.local.branches.keys())
  for (const [name, upstreamOid] of input.upstream.branches) {
    const localOid = input.local.branches.get(name) ?? null
    if (localOid === upstreamOid) continue
    const relation = localOid === null ? 'behind' : await relationOf(input, localOid, upstreamOid)
    if (relation === 'ahead' && !input.overwritesDiverged) continue
    if (relation === 'diverged' && !input.overwritesDiverged) recordDiverged(input, plan, name)
    else if (localOid === null && hasConflict(names, name))
      plan.problems.push(`The branch ${name} cannot be created: its name conflicts with another branch.`)
    else plan.changes.push({ ref: `refs/heads/${name}`, old: localOid, new: upstreamOid })
    names.add(name)
  }
  addTags(input, plan)
  return plan
}

async function relationOf({ isAncestor }: PlanInput, localOid: string, upstreamOid: string) {
  if (await isAncestor(localOid, upstreamOid)) return 'behind'
  return (await isAncestor(upstreamOid, localOid)) ? 'ahead' : 'diverged'
}

function recordDiverged({ defaultBranch }: PlanInput, plan: PullPlan, name: string): void {
  plan.diverged.push(name)
  if (name !== defaultBranch) return
  plan.problems.push(
    `The default branch (${name}) has diverged from its upstream counterpart and could not be updated automatically.`,
  )
}

function addTags({ upstream, local }: PlanInput, plan: PullPlan): void {
  const names = new Set(local.tags.keys())
  for (const [name, upstreamOid] of upstream.tags) {
    const localOid = local.tags.get(name) ?? null
    if (localOid === upstreamOid) continue
    if (localOid === null && hasConflict(names, name))
      plan.problems.push(`The tag ${name} cannot be created: its name conflicts with another tag.`)
    else plan.changes.push({ ref: `refs/tags/${name}`, old: localOid, new: upstreamOid })
    names.add(name)
  }
}

/** Whether a name conflicts with others: `a` and `a/b` cannot both exist. */
function hasConflict(names: ReadonlySet<string>, name: string): boolean {
  const parts = name.split('/')
  if (parts.some((_, index) => index > 0 && names.has(parts.slice(0, index).join('/')))) return true
  const folder = `${name}/`
  for (const other of names) if (other.startsWith(folder)) return true
  return false
}
