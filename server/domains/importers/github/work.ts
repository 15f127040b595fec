import { setImmediate as nextTurn } from 'node:timers/promises'

import { tx } from '../../../db/database.ts'
import { addStats, mark, marked } from '../../import_export/index.ts'
import { HostProblem, type Fields } from '../hosts/answers.ts'
import {
  checkAlive,
  isFatal,
  storeCursor,
  noteFailure,
  reportProgress,
  type HostCursor,
  type HostStage,
  type HostWork,
} from '../hosts/work.ts'
import type { GithubClient } from './client.ts'

/** The source of an import, as its run stores it. */
export interface ImportSource {
  /** `owner/repository`. */
  readonly full_name: string
  readonly hostname: string | null
  readonly optional_stages: Readonly<Record<string, boolean>>
}

/** The position of an interrupted import. */
export interface Cursor extends HostCursor {
  /** URL of the page that is being read. */
  readonly page?: string | null
  /** Its records were counted as fetched. */
  readonly counted?: boolean
  /** The issue or merge request with the lists that are being read. */
  readonly issuable?: { readonly kind: 'Issue' | 'MergeRequest'; readonly iid: number } | null
}

export type Work = HostWork<ImportSource, GithubClient, Cursor>
export type Stage = HostStage<Work>

/** Path of the repository in GitHub's API. */
export function repoPath({ source }: Work): string {
  return `/repos/${source.full_name.split('/').map(encodeURIComponent).join('/')}`
}

/** A list of GitHub to read. */
export interface Walk {
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  /** The kind that its records count as; with `counts`, only some of them. */
  readonly stat?: string
  readonly counts?: (item: Fields) => boolean
}

/**
 * Calls back for every record of a list, one after the other, and continues at the page where it was interrupted. A
 * list that GitHub refuses (disabled there, or no rights) is recorded as a failure and counts as empty.
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
    const isWhole = !work.cursor.issuable
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
    storeCursor(work, { page: url, counted: false, trouble: 0 })
  }
}

async function pageOrNothing(work: Work, url: string, { path }: Walk) {
  try {
    return await work.client.page(url)
  } catch (error) {
    if (!(error instanceof HostProblem) || error.isPassing || error.status === 401) throw error
    // Throws if the whole repository is missing, and not only this list.
    await work.client.one(repoPath(work))
    noteFailure(work, `GET ${path}`, error)
    return null
  }
}

/** Counts the records of a page; a page that is read again counts once. */
function countOnce(work: Work, url: string, { stat, counts }: Walk, items: readonly Fields[]): void {
  const { page, counted } = work.cursor
  if (page === url && counted) return
  tx(work.ctx.db, () => {
    const fetched = counts ? items.filter(counts).length : items.length
    if (stat && fetched > 0) addStats(work.ctx, work.projectId, 'fetched', stat, fetched)
    storeCursor(work, { page: url, counted: true })
  })
}

/** A record to import. */
export interface RecordImport {
  /** The kind that it counts as. */
  readonly stat: string
  /** Kind and key of its mark, which landing sets, or `importRecord`. */
  readonly mark: string
  readonly key: string
  /** Its name for users, such as `Issue #3`. */
  readonly name: string
}

/** Imports one record and counts it, unless it was imported before. A failure is recorded, and the import continues. */
export async function importRecord(
  work: Work,
  record: RecordImport,
  land: () => Promise<number | null> | number | null,
): Promise<void> {
  const { ctx, projectId } = work
  const { stat, mark: kind, key } = record
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
      noteFailure(work, record.name, error, stat)
      mark(ctx, projectId, kind, key, null)
    })
  }
}
