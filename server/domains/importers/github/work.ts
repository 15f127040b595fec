import { setImmediate as nextTurn } from 'node:timers/promises'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { HOST_A } from '../../../lib/aliases.ts'
import {
  addStats,
  cleaned,
  credentialsOf,
  mark,
  marked,
  recordFailures,
  runOf,
  signalOf,
  tellProgress,
  currentTime,
  updateRun,
  type Run,
} from '../../import_export/index.ts'
import { CannotLand, landingOf, type Landing } from '../hosts/landing/index.ts'
import { githubAddress, GITHUB } from './client/address.ts'
import { GithubClient } from './client/client.ts'
import { type Fields, HostProblem, HostWaits } from '../hosts/answers.ts'

/** What is imported, as the run keeps it. */
export interface ImportSource {
  /** `owner/repository`. */
  readonly full_name: string
  readonly hostname: string | null
  readonly optional_stages: Readonly<Record<string, boolean>>
}

/** Where an import goes on after it was cut off. */
export interface Cursor {
  readonly stage?: string
  /** Address of the page that is being read. */
  readonly page?: string | null
  /** Its records were counted as fetched. */
  readonly counted?: boolean
  /** The issue or merge request with the lists that are being read (stored under this name by earlier versions, too). */
  readonly thing?: { readonly kind: 'Issue' | 'MergeRequest'; readonly iid: number } | null
  readonly done?: number
  /** How often the host was too broken to go on. */
  readonly trouble?: number
}

/** An import that is under way. */
export interface Work {
  readonly ctx: Ctx
  readonly projectId: number
  readonly source: ImportSource
  readonly client: GithubClient
  readonly landing: Landing
  readonly signal: AbortSignal
  readonly token: string
  cursor: Cursor
  /** About how many records the present list has. */
  total: number
}

/** A part of the import (spec administration 6.9). May be interrupted anywhere, and run again. */
export interface Stage {
  readonly name: string
  /** Whether this import runs the stage; always by default. */
  isWanted?(work: Work): boolean
  run(work: Work): Promise<void>
}

/** The work that a run describes. */
export function workOf(ctx: Ctx, projectId: number, run: Run): Work {
  const source = JSON.parse(run.source) as ImportSource
  const address = githubAddress(source.hostname ?? undefined) ?? GITHUB
  const signal = signalOf(ctx, projectId)
  const token = credentialsOf(ctx, run)['token'] ?? ''
  const now = () => currentTime(ctx, projectId)
  return {
    ctx,
    projectId,
    source,
    client: new GithubClient(ctx, address, { token, signal, now }),
    landing: landingOf(ctx, projectId, { identity_provider: address.isPublic ? HOST_A : null }),
    signal,
    token,
    cursor: JSON.parse(run.cursor) as Cursor,
    total: 0,
  }
}

/** Path of the repository in the other host's API. */
export function repoPath({ source }: Work): string {
  return `/repos/${source.full_name.split('/').map(encodeURIComponent).join('/')}`
}

/** Notes where to go on. */
export function keepCursor(work: Work, changes: Cursor): void {
  work.cursor = { ...work.cursor, ...changes }
  updateRun(work.ctx.db, work.projectId, { cursor: JSON.stringify(work.cursor) })
}

/** Ends the work where the import was canceled or the project is gone. */
export function checkAlive({ ctx, projectId, signal }: Work): void {
  signal.throwIfAborted()
  if (!runOf(ctx.db, projectId)) throw new CannotLand('The project is gone.')
}

/** Says how far the present stage is. */
export function reportProgress({ ctx, projectId, cursor, total }: Work): void {
  tellProgress(ctx, projectId, { step: cursor.stage ?? 'start', done: cursor.done ?? 0, total })
}

/** A list of the other host that is walked through. */
export interface Walk {
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  /** The kind under which its records are counted; those that `counts` names. */
  readonly stat?: string
  readonly counts?: (item: Fields) => boolean
}

/**
 * Calls back for every record of a list, one after the other, and goes on at the page where it was cut off. A list that the host
 * does not give (switched off there, or no rights) is a failure of its own, and empty.
 */
export async function walk(
  work: Work,
  list: Walk,
  each: (item: Fields) => Promise<void> | void,
): Promise<void> {
  let url: string | null = work.cursor.page ?? work.client.list(list.path, list.query)
  while (url !== null) {
    checkAlive(work)
    const page = await pageOrNothing(work, url, list)
    if (!page) break
    // While the lists of single issues are read, progress counts the issues.
    const isWhole = !work.cursor.thing
    if (isWhole && page.lastPage) work.total = Math.max(work.total, page.lastPage * 100)
    countOnce(work, url, list, page.items)
    for (const item of page.items) {
      work.signal.throwIfAborted()
      await each(item)
      if (isWhole) work.cursor = { ...work.cursor, done: (work.cursor.done ?? 0) + 1 }
      reportProgress(work)
      await nextTurn()
    }
    // A page that names itself as the next one is the last.
    url = page.next === url ? null : page.next
    keepCursor(work, { page: url, counted: false, trouble: 0 })
  }
}

async function pageOrNothing(work: Work, url: string, { path }: Walk) {
  try {
    return await work.client.page(url)
  } catch (error) {
    if (!(error instanceof HostProblem) || error.isPassing || error.status === 401) throw error
    // Is it this list alone, or all that there was?
    await work.client.one(repoPath(work))
    noteFailure(work, `GET ${path}`, error)
    return null
  }
}

/** Records are counted with the page that they are on, so that a page which is read again counts once. */
function countOnce(work: Work, url: string, { stat, counts }: Walk, items: readonly Fields[]): void {
  const { page, counted } = work.cursor
  if (page === url && counted) return
  tx(work.ctx.db, () => {
    const fetched = counts ? items.filter(counts).length : items.length
    if (stat && fetched > 0) addStats(work.ctx, work.projectId, 'fetched', stat, fetched)
    keepCursor(work, { page: url, counted: true })
  })
}

/** What is made of one record. */
export interface Taking {
  /** The kind under which it is counted. */
  readonly stat: string
  /** The kind and key under which it is marked, by landing or here. */
  readonly mark: string
  readonly key: string
  /** What people know it by, as `Issue #3`. */
  readonly name: string
}

/** Lands one record and counts it; a failure is recorded, and the rest goes on. What was landed before is passed over. */
export async function take(
  work: Work,
  taking: Taking,
  land: () => Promise<number | null> | number | null,
): Promise<void> {
  const { ctx, projectId } = work
  const { stat, mark: kind, key } = taking
  if (marked(ctx.db, projectId, kind, key) !== undefined) return
  try {
    const id = await land()
    tx(ctx.db, () => {
      if (marked(ctx.db, projectId, kind, key) === undefined) mark(ctx, projectId, kind, key, id)
      if (id !== null) addStats(ctx, projectId, 'imported', stat)
    })
  } catch (error) {
    if (isFatal(work, error)) throw error
    tx(ctx.db, () => {
      noteFailure(work, taking.name, error, stat)
      mark(ctx, projectId, kind, key, null)
    })
  }
}

/** Whether an error ends the import, or its present run, and not only one record. */
function isFatal({ signal }: Work, error: unknown): boolean {
  return (
    signal.aborted ||
    error instanceof HostWaits ||
    (error instanceof HostProblem && (error.isPassing || error.status === 401))
  )
}

/** Records that something could not be taken over. */
export function noteFailure(
  work: Work,
  source: string,
  error: unknown,
  relation: string | null = null,
): void {
  const { ctx, projectId } = work
  const isKnown = error instanceof CannotLand || error instanceof HostProblem
  if (!isKnown)
    ctx.log.warn({ err: error, project_id: projectId }, 'something of another host could not be imported')
  recordFailures(ctx, { project_id: projectId }, [
    {
      source: source.slice(0, 200),
      relation_name: relation,
      exception_class: error instanceof CannotLand ? error.exceptionClass : 'StandardError',
      exception_message: isKnown ? cleaned(error.message) : 'It could not be stored.',
    },
  ])
}
