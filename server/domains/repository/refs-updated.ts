import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { GitInputError, GitRefError } from '../../git/errors.ts'
import { countCommits, listCommits } from '../../git/read/log.ts'
import { updateRefs } from '../../git/write/refs.ts'
import { hasBranches, readHead, withWriteLock, writeHead } from '../../git/upkeep/repository.ts'
import { branchTip, refTarget } from '../../git/read/revisions.ts'
import type { Repo } from '../../git/types.ts'
import {
  projectById,
  protectDefaultBranch,
  repoOf,
  updateProjectRow,
  type Project,
} from '../projects/index.ts'
import { branchOf, tagOf, type ChangeSource, type RefChange } from './checks/check.ts'
import { MAX_UPDATES, RefsUpdated } from './events.ts'
import * as store from './store.ts'

const MAX_OPTION = 12_000
const MAX_OPTIONS = 100

/** A change of refs that was announced in the journal and waits for its end. */
export interface Announced {
  readonly id: number
  readonly project_id: number
  readonly actor_id: number | null
  readonly source: ChangeSource
  /** As stored. */
  readonly updates: string
  /** As stored. */
  readonly push_options: string
}

/**
 * Writes down what git is about to do. Must be followed by `settle`, both under the write lock of the repository, so
 * that at most one announcement per project is open and events come in the order of the changes.
 */
export function announce(
  ctx: Ctx,
  project: Pick<Project, 'id'>,
  given: {
    source: ChangeSource
    changes: readonly RefChange[]
    push_options?: readonly string[]
    before?: (() => void) | undefined
  },
): Announced {
  const row = {
    project_id: project.id,
    actor_id: ctx.actor.id,
    source: given.source,
    updates: JSON.stringify(given.changes),
    push_options: JSON.stringify(kept(given.push_options ?? [])),
  }
  return tx(ctx.db, () => {
    given.before?.()
    return { ...row, id: store.insertJournal(ctx.db, { ...row, created_at: ctx.now }) }
  })
}

/** Nobody needs more of them, and they are stored with every subscriber. */
function kept(options: readonly string[]): string[] {
  return options.filter((option) => option.length <= MAX_OPTION).slice(0, MAX_OPTIONS)
}

/**
 * Records what really happened to refs: the project's columns, the events, and the end of the announcement, in one
 * transaction. Before it, the first branch of an empty repository becomes the default one.
 */
export async function settle(
  ctx: Ctx,
  announced: Announced,
  happened: readonly RefChange[],
  after?: () => void,
): Promise<void> {
  const project = projectById(ctx.db, announced.project_id)
  const changes = happened.filter((change) => isPublic(change.ref) && change.old !== change.new)
  const columns = project && changes.length > 0 ? await repositoryColumns(ctx, project, changes) : {}
  tx(ctx.db, () => {
    store.removeJournal(ctx.db, announced)
    const current = projectById(ctx.db, announced.project_id)
    // The project was deleted meanwhile; nobody is left to be told.
    if (!current || changes.length === 0) return
    const updated = updateProjectRow(ctx.db, current.id, { ...columns, last_activity_at: ctx.now })
    if (current.empty_repo && !updated.empty_repo) protectDefaultBranch(ctx, updated)
    tell(ctx, announced, changes)
    after?.()
  })
}

function isPublic(ref: string): boolean {
  return branchOf(ref) !== undefined || tagOf(ref) !== undefined
}

/** The only place that says that refs moved. */
function tell(
  ctx: Ctx,
  announced: Pick<Announced, 'project_id' | 'actor_id' | 'source'> & Partial<Announced>,
  changes: readonly RefChange[],
): void {
  const push_options = JSON.parse(announced.push_options ?? '[]') as string[]
  const parts = Math.ceil(changes.length / MAX_UPDATES)
  const branches = changes.filter((change) => branchOf(change.ref) !== undefined).length
  for (let part = 1; part <= parts; part++) {
    publish(ctx, RefsUpdated, {
      project_id: announced.project_id,
      actor_id: announced.actor_id,
      source: announced.source,
      updates: changes.slice((part - 1) * MAX_UPDATES, part * MAX_UPDATES),
      part,
      parts,
      branches,
      tags: changes.length - branches,
      ...(push_options.length === 0 ? {} : { push_options }),
    })
  }
}

async function repositoryColumns(
  ctx: Ctx,
  project: Project,
  changes: readonly RefChange[],
): Promise<Partial<Pick<Project, 'empty_repo' | 'default_branch'>>> {
  const repo = repoOf(ctx, project)
  const arrived = changes.flatMap((change) => (change.new === null ? [] : (branchOf(change.ref) ?? [])))
  if (project.empty_repo && arrived.length > 0) {
    return { empty_repo: false, default_branch: await firstDefault(repo, project, arrived) }
  }
  const isShorter = changes.some((change) => change.new === null && branchOf(change.ref) !== undefined)
  return isShorter && !(await hasBranches(repo)) ? { empty_repo: true } : {}
}

/** HEAD stays where it points if that branch came; otherwise one that came becomes the default. */
async function firstDefault(repo: Repo, project: Project, arrived: readonly string[]): Promise<string> {
  const head = branchOf((await readHead(repo)) ?? '')
  if (head !== undefined && (await refTarget(repo, `refs/heads/${head}`)) !== null) return head
  const usual = [project.default_branch, 'main', 'master'].find((name) => arrived.includes(name))
  const chosen = usual ?? arrived[0]!
  await writeHead(repo, chosen)
  return chosen
}

/** Which of the announced changes the repository shows. */
export async function whatHappened(repo: Repo, changes: readonly RefChange[]): Promise<RefChange[]> {
  const current = await Promise.all(changes.map((change) => refTarget(repo, change.ref)))
  return changes.filter((change, index) => change.old !== change.new && current[index] === change.new)
}

/** A change of refs to be made. */
export interface RefMoves {
  readonly source: ChangeSource
  readonly changes: readonly RefChange[]
  /** Written in one transaction with the announcement; throwing keeps the refs where they are. */
  readonly before?: () => void
  /** Written in one transaction with the event, once the refs have moved. */
  readonly after?: () => void
}

/**
 * Moves refs as the API does: announced, moved in one git transaction that expects the old values, recorded and told.
 * Throws GitRefError when somebody else was faster; then nothing changed. The rules of `checks/` are asked before.
 */
export async function moveRefs(ctx: Ctx, project: Project, given: RefMoves): Promise<void> {
  const repo = repoOf(ctx, project)
  await withWriteLock(repo, async () => {
    const announced = announce(ctx, project, given)
    try {
      await updateRefs(repo, given.changes)
    } catch (error) {
      // A refusal changed nothing; a process that was cut off may have done its work nevertheless.
      const isRefusal = error instanceof GitRefError || error instanceof GitInputError
      const happened = isRefusal ? [] : await whatHappened(repo, given.changes).catch(() => undefined)
      if (happened) await settle(ctx, announced, happened)
      throw error
    }
    await settle(ctx, announced, given.changes, given.after)
  })
}

/**
 * Tells of the first commit, which a new project makes itself before anybody could push. The foundation knows nothing
 * of this domain, so its event is what says it.
 */
export async function tellFirstCommit(
  ctx: Ctx,
  created: { project_id: number; actor_id: number | null },
): Promise<void> {
  const project = projectById(ctx.db, created.project_id)
  if (!project) return
  const first = await firstCommit(repoOf(ctx, project), project.default_branch)
  if (first === null) return
  const update = { ref: `refs/heads/${project.default_branch}`, old: null, new: first }
  const { project_id, actor_id } = created
  tx(ctx.db, () => tell(ctx, { project_id, actor_id, source: 'api' }, [update]))
}

/** The commit a branch began with; somebody may have pushed to it since. */
async function firstCommit(repo: Repo, branch: string): Promise<string | null> {
  const tip = await branchTip(repo, branch)
  if (tip === null) return null
  const line = { range: { tips: [tip] }, first_parent: true }
  const length = await countCommits(repo, line)
  return (await listCommits(repo, { ...line, skip: length - 1, limit: 1 }))[0]?.id ?? null
}
