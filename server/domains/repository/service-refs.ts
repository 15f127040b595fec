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

/** The delay of the second check: after the instance is killed, a git process may still run for a moment and finish. */
const SECOND_CHECK_MS = 60_000

/**
 * Finishes the ref updates that a killed instance left in the journal, and publishes the event for refs that moved.
 * Runs at the start, before the first request. If no ref moved, the repository is checked once more a minute later.
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
      enqueue(ctx, checkAgain, { id: row.id }, { delay: SECOND_CHECK_MS, once: `ref_journal:${row.id}` })
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
    else enqueue(ctx, checkAgain, { id: row.id }, { delay: SECOND_CHECK_MS, once: `ref_journal:${row.id}` })
  })
}

const MAX_OPTION_LENGTH = 12_000
const MAX_OPTIONS = 100

/** An update of refs that is recorded in the journal and not finished yet. */
export interface Announcement {
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
 * Writes a planned update of refs to the journal. The caller must call `settle` afterwards, under the same write lock
 * of the repository. So each project has at most one open announcement, and the events have the order of the changes.
 * `before` runs in the same transaction.
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
): Announcement {
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

/** Limits the push options, since the job of every subscriber stores them. */
function limitedOptions(options: readonly string[]): string[] {
  return options.filter((option) => option.length <= MAX_OPTION_LENGTH).slice(0, MAX_OPTIONS)
}

/**
 * Records in one transaction which refs really moved: updates the project's columns, publishes the events and deletes
 * the announcement. Before that, the first branch of an empty repository becomes the default branch. `after` runs in
 * the same transaction.
 */
export async function settle(
  ctx: Ctx,
  announcement: Announcement,
  applied: readonly RefChange[],
  after?: () => void,
): Promise<void> {
  const project = projectById(ctx.db, announcement.project_id)
  const changes = applied.filter((change) => isPublic(change.ref) && change.old !== change.new)
  const columns = project && changes.length > 0 ? await repositoryColumns(ctx, project, changes) : {}
  tx(ctx.db, () => {
    store.removeJournal(ctx.db, announcement)
    const current = projectById(ctx.db, announcement.project_id)
    // The project was deleted in the meantime.
    if (!current || changes.length === 0) return
    const updated = updateProjectRow(ctx.db, current.id, { ...columns, last_activity_at: ctx.now })
    if (current.empty_repo && !updated.empty_repo) protectDefaultBranch(ctx, updated)
    publishMoves(ctx, announcement, changes)
    after?.()
  })
}

function isPublic(ref: string): boolean {
  return branchOf(ref) !== undefined || tagOf(ref) !== undefined
}

/** Publishes `refs.updated`. No other function publishes this event. */
function publishMoves(
  ctx: Ctx,
  announcement: Pick<Announcement, 'project_id' | 'actor_id' | 'source'> & Partial<Announcement>,
  changes: readonly RefChange[],
): void {
  const push_options = JSON.parse(announcement.push_options ?? '[]') as string[]
  const parts = Math.ceil(changes.length / MAX_UPDATES)
  const branches = changes.filter((change) => branchOf(change.ref) !== undefined).length
  for (let part = 1; part <= parts; part++) {
    publish(ctx, RefsUpdated, {
      project_id: announcement.project_id,
      actor_id: announcement.actor_id,
      source: announcement.source,
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
  const branches = changes.flatMap((change) => (change.new === null ? [] : (branchOf(change.ref) ?? [])))
  if (project.empty_repo && branches.length > 0) {
    return { empty_repo: false, default_branch: await firstDefaultBranch(repo, project, branches) }
  }
  const hasDeletion = changes.some((change) => change.new === null && branchOf(change.ref) !== undefined)
  return hasDeletion && !(await hasBranches(repo)) ? { empty_repo: true } : {}
}

/** Keeps HEAD if its branch was pushed; otherwise makes one of the pushed branches the default branch. */
async function firstDefaultBranch(
  repo: Repo,
  project: Project,
  branches: readonly string[],
): Promise<string> {
  const head = branchOf((await readHead(repo)) ?? '')
  if (head !== undefined && (await refTarget(repo, `refs/heads/${head}`)) !== null) return head
  const fallback = [project.default_branch, 'main', 'master'].find((name) => branches.includes(name))
  const chosen = fallback ?? branches[0]!
  await writeHead(repo, chosen)
  return chosen
}

/** Returns those of the changes that the repository contains. */
export async function appliedChanges(repo: Repo, changes: readonly RefChange[]): Promise<RefChange[]> {
  const current = await Promise.all(changes.map((change) => refTarget(repo, change.ref)))
  return changes.filter((change, index) => change.old !== change.new && current[index] === change.new)
}

/** A change of refs to make. */
export interface RefMoves {
  readonly source: ChangeSource
  readonly changes: readonly RefChange[]
  /** Options as of `git push -o`. */
  readonly push_options?: readonly string[]
  /** Runs in the transaction that announces the move; if it throws, the refs stay unchanged. */
  readonly before?: () => void
  /** Runs after the refs moved, in the transaction that publishes the event. */
  readonly after?: () => void
}

/**
 * Moves refs for the API: announces the move in the journal, moves them in one git transaction that expects the old
 * values, and records and publishes the result. Throws GitRefError if a ref changed in the meantime; then nothing
 * moved. The caller runs the checks of `checks/` first.
 */
export async function moveRefs(ctx: Ctx, project: Project, moves: RefMoves): Promise<void> {
  const repo = repoOf(ctx, project)
  await withWriteLock(repo, async () => {
    const announcement = announce(ctx, project, moves)
    try {
      await updateRefs(repo, moves.changes)
    } catch (error) {
      // A refusal changed nothing, but an aborted process may still have finished.
      const isRefusal = error instanceof GitRefError || error instanceof GitInputError
      const applied = isRefusal ? [] : await appliedChanges(repo, moves.changes).catch(() => undefined)
      if (applied) await settle(ctx, announcement, applied)
      throw error
    }
    await settle(ctx, announcement, moves.changes, moves.after)
  })
}

/**
 * Publishes the event for the first commit of a new project. The projects domain creates that commit, but does not
 * import this domain, so this runs when a project is created.
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

/** Returns the first commit in the history of a branch. A push may have moved the branch in the meantime. */
async function firstCommit(repo: Repo, branch: string): Promise<string | null> {
  const tip = await branchTip(repo, branch)
  if (tip === null) return null
  const history = { range: { tips: [tip] }, first_parent: true }
  const length = await countCommits(repo, history)
  return (await listCommits(repo, { ...history, skip: length - 1, limit: 1 }))[0]?.id ?? null
}
