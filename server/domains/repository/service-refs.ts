import { z } from 'zod'

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
import type { JournalRow } from './store.ts'
import { enqueue, job } from '../../jobs/job.ts'

/** After the instance is killed, a git process may run on for a moment and still finish. */
const LOOK_AGAIN_MS = 60_000

/**
 * Finishes ref moves that a killed instance left in the journal: publishes the event for refs that moved. Runs at
 * the start, before the first request. If nothing moved, it checks the repository once more a minute later.
 */
export async function recoverJournal(ctx: Ctx): Promise<void> {
  for (const row of store.journal(ctx.db)) {
    try {
      await finishEntry(ctx, row, { last: false })
    } catch (error) {
      // One damaged repository must not prevent the start.
      ctx.log.error(
        { err: error, project_id: row.project_id },
        'unfinished ref updates could not be compared',
      )
      enqueue(ctx, checkAgain, { id: row.id }, { delay: LOOK_AGAIN_MS, once: `ref_journal:${row.id}` })
    }
  }
}

/** Compares one journal entry with the repository for the last time. */
export const checkAgain = job(
  'repository.recover_journal',
  { args: { id: z.number() } },
  async (ctx, { id }) => {
    const row = store.journalRow(ctx.db, id)
    if (row) await finishEntry(ctx, row, { last: true })
  },
)

async function finishEntry(ctx: Ctx, row: JournalRow, { last }: { last: boolean }): Promise<void> {
  const project = projectById(ctx.db, row.project_id)
  if (!project) return store.removeJournal(ctx.db, row)
  const repo = repoOf(ctx, project)
  await withWriteLock(repo, async () => {
    // While this waited for the lock, the same push may have been repeated and recorded.
    if (!store.journalRow(ctx.db, row.id)) return
    const applied = await appliedChanges(repo, JSON.parse(row.updates) as RefChange[])
    if (applied.length > 0 || last) await settle(ctx, row, applied)
    else enqueue(ctx, checkAgain, { id: row.id }, { delay: LOOK_AGAIN_MS, once: `ref_journal:${row.id}` })
  })
}

const MAX_OPTION = 12_000
const MAX_OPTIONS = 100

/** An announced change of refs in the journal that is not finished yet. */
export interface Announced {
  readonly id: number
  readonly project_id: number
  readonly actor_id: number | null
  readonly source: ChangeSource
  /** JSON, as stored. */
  readonly updates: string
  /** JSON, as stored. */
  readonly push_options: string
}

/**
 * Writes a planned move of refs to the journal. The caller must call `settle` afterwards, under the same write lock
 * of the repository. So each project has at most one open announcement, and events keep the order of the changes.
 */
export function announce(
  ctx: Ctx,
  project: Pick<Project, 'id'>,
  input: {
    source: ChangeSource
    changes: readonly RefChange[]
    push_options?: readonly string[]
    before?: (() => void) | undefined
  },
): Announced {
  const row = {
    project_id: project.id,
    actor_id: ctx.actor.id,
    source: input.source,
    updates: JSON.stringify(input.changes),
    push_options: JSON.stringify(limitedOptions(input.push_options ?? [])),
  }
  return tx(ctx.db, () => {
    input.before?.()
    return { ...row, id: store.insertJournal(ctx.db, { ...row, created_at: ctx.now }) }
  })
}

/** Keeps a limited number of push options, since the job of every subscriber stores them. */
function limitedOptions(options: readonly string[]): string[] {
  return options.filter((option) => option.length <= MAX_OPTION).slice(0, MAX_OPTIONS)
}

/**
 * Records in one transaction which refs really moved: updates the project's columns, publishes the events and ends
 * the announcement. Before that, the first branch of an empty repository becomes the default branch.
 */
export async function settle(
  ctx: Ctx,
  announced: Announced,
  applied: readonly RefChange[],
  after?: () => void,
): Promise<void> {
  const project = projectById(ctx.db, announced.project_id)
  const changes = applied.filter((change) => isPublic(change.ref) && change.old !== change.new)
  const columns = project && changes.length > 0 ? await repositoryColumns(ctx, project, changes) : {}
  tx(ctx.db, () => {
    store.removeJournal(ctx.db, announced)
    const current = projectById(ctx.db, announced.project_id)
    // The project was deleted in the meantime.
    if (!current || changes.length === 0) return
    const updated = updateProjectRow(ctx.db, current.id, { ...columns, last_activity_at: ctx.now })
    if (current.empty_repo && !updated.empty_repo) protectDefaultBranch(ctx, updated)
    publishMoves(ctx, announced, changes)
    after?.()
  })
}

function isPublic(ref: string): boolean {
  return branchOf(ref) !== undefined || tagOf(ref) !== undefined
}

/** Publishes `refs.updated`; no other function does. */
function publishMoves(
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

/** HEAD stays if its branch was pushed; otherwise one of the pushed branches becomes the default. */
async function firstDefault(repo: Repo, project: Project, arrived: readonly string[]): Promise<string> {
  const head = branchOf((await readHead(repo)) ?? '')
  if (head !== undefined && (await refTarget(repo, `refs/heads/${head}`)) !== null) return head
  const fallback = [project.default_branch, 'main', 'master'].find((name) => arrived.includes(name))
  const chosen = fallback ?? arrived[0]!
  await writeHead(repo, chosen)
  return chosen
}

/** Returns the announced changes that are visible in the repository. */
export async function appliedChanges(repo: Repo, changes: readonly RefChange[]): Promise<RefChange[]> {
  const current = await Promise.all(changes.map((change) => refTarget(repo, change.ref)))
  return changes.filter((change, index) => change.old !== change.new && current[index] === change.new)
}

/** A change of refs to make. */
export interface RefMoves {
  readonly source: ChangeSource
  readonly changes: readonly RefChange[]
  /** Runs in the transaction of the announcement; if it throws, the refs stay unchanged. */
  readonly before?: () => void
  /** Runs in the transaction of the event, after the refs moved. */
  readonly after?: () => void
}

/**
 * Moves refs for the API: announces the move in the journal, moves them in one git transaction that expects the old
 * values, and records and publishes the result. Throws GitRefError if a ref changed in the meantime; then nothing
 * moved. The caller runs the checks of `checks/` before.
 */
export async function moveRefs(ctx: Ctx, project: Project, moves: RefMoves): Promise<void> {
  const repo = repoOf(ctx, project)
  await withWriteLock(repo, async () => {
    const announced = announce(ctx, project, moves)
    try {
      await updateRefs(repo, moves.changes)
    } catch (error) {
      // A refusal changed nothing, but an aborted process may still have finished.
      const isRefusal = error instanceof GitRefError || error instanceof GitInputError
      const applied = isRefusal ? [] : await appliedChanges(repo, moves.changes).catch(() => undefined)
      if (applied) await settle(ctx, announced, applied)
      throw error
    }
    await settle(ctx, announced, moves.changes, moves.after)
  })
}

/**
 * Publishes the first commit of a new project, which the projects domain creates itself before any push. The
 * projects domain does not import this one, so this subscribes to its event.
 */
export async function announceFirstCommit(
  ctx: Ctx,
  created: { project_id: number; actor_id: number | null },
): Promise<void> {
  const project = projectById(ctx.db, created.project_id)
  if (!project) return
  const first = await firstCommit(repoOf(ctx, project), project.default_branch)
  if (first === null) return
  const update = { ref: `refs/heads/${project.default_branch}`, old: null, new: first }
  const { project_id, actor_id } = created
  tx(ctx.db, () => publishMoves(ctx, { project_id, actor_id, source: 'api' }, [update]))
}

/** Returns the first commit in a branch's history; a push may have moved the branch since. */
async function firstCommit(repo: Repo, branch: string): Promise<string | null> {
  const tip = await branchTip(repo, branch)
  if (tip === null) return null
  const line = { range: { tips: [tip] }, first_parent: true }
  const length = await countCommits(repo, line)
  return (await listCommits(repo, { ...line, skip: length - 1, limit: 1 }))[0]?.id ?? null
}
