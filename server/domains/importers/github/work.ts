import { setImmediate as nextTurn } from 'node:timers/promises'

import { tx } from '../../../db/database.ts'
import { addStats, mark, markedId } from '../../import_export/index.ts'
import { HostError, type Fields } from '../hosts/answers.ts'
import {
  checkNotCanceled,
  isFatal,
  storeCursor,
  recordFailure,
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

/** The position of an import, which continues there after an interruption. */
export interface Cursor extends HostCursor {
  /** URL of the current page of the current list. */
  readonly page?: string | null
  /** Whether the records of that page were counted as fetched. */
  readonly counted?: boolean
  /** The issue or merge request to which the current list belongs. */
  readonly issuable?: { readonly kind: 'Issue' | 'MergeRequest'; readonly iid: number } | null
}

export type Work = HostWork<ImportSource, GithubClient, Cursor>
export type Stage = HostStage<Work>

/** Path of the repository in GitHub's API. */
export function repoPath({ source }: Work): string {
  return `/repos/${source.full_name.split('/').map(encodeURIComponent).join('/')}`
}

/** A list of the GitHub API. */
export interface RecordList {
  readonly path: string
  readonly query?: Readonly<Record<string, string | number>>
  /** The statistic that counts the records. With `counts`, it counts only the matching ones. */
  readonly stat?: string
  readonly counts?: (item: Fields) => boolean
}

/**
 * Calls `each` for every record of a list, one after the other. Continues at the page where an earlier run was
 * interrupted. A list that GitHub refuses (feature disabled, or no permission) is recorded as a failure and treated as
 * empty.
 */
export async function forEachRecord(
  work: Work,
  list: RecordList,
  each: (item: Fields) => Promise<void> | void,
): Promise<void> {
  let url: string | null = work.cursor.page ?? work.client.firstPageUrl(list.path, list.query)
  while (url !== null) {
    checkNotCanceled(work)
    const page = await pageUnlessRefused(work, url, list)
    if (!page) break
    // For the list of a single issue, progress counts issues instead of records.
    const isTopLevel = !work.cursor.issuable
    if (isTopLevel && page.lastPage) work.total = Math.max(work.total, page.lastPage * 100)
    countFetched(work, url, list, page.items)
    for (const item of page.items) {
      work.signal.throwIfAborted()
      await each(item)
      if (isTopLevel) work.cursor = { ...work.cursor, done: (work.cursor.done ?? 0) + 1 }
      reportProgress(work)
      await nextTurn()
    }
    // A page that links to itself as the next page would cause an endless loop.
    url = page.next === url ? null : page.next
    storeCursor(work, { page: url, counted: false, trouble: 0 })
  }
}

async function pageUnlessRefused(work: Work, url: string, { path }: RecordList) {
  try {
    return await work.client.fetchPage(url)
  } catch (error) {
    if (!(error instanceof HostError) || error.isTemporary || error.status === 401) throw error
    // Throws if the whole repository is missing, not only this list.
    await work.client.fetchRecord(repoPath(work))
    recordFailure(work, `GET ${path}`, error)
    return null
  }
}

/** Counts the records of a page as fetched. A page that is read again after an interruption is not counted again. */
function countFetched(work: Work, url: string, { stat, counts }: RecordList, items: readonly Fields[]): void {
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
  /** The statistic that counts the record. */
  readonly stat: string
  /** Kind of its mark. Landing sets the mark, or else `importRecord`. */
  readonly mark: string
  /** Key of its mark. */
  readonly key: string
  /** Its name for users, such as `Issue #3`. */
  readonly name: string
}

/** Imports one record and counts it, unless it was imported before. Records a failure, so that the import continues. */
export async function importRecord(
  work: Work,
  record: RecordImport,
  land: () => Promise<number | null> | number | null,
): Promise<void> {
  const { ctx, projectId } = work
  const { stat, mark: kind, key } = record
  if (markedId(ctx.db, projectId, kind, key) !== undefined) return
  try {
    const id = await land()
    tx(ctx.db, () => {
      if (markedId(ctx.db, projectId, kind, key) === undefined) mark(ctx, projectId, kind, key, id)
      if (id !== null) addStats(ctx, projectId, 'imported', stat)
    })
  } catch (error) {
    if (isFatal(work, error)) throw error
    tx(ctx.db, () => {
      recordFailure(work, record.name, error, stat)
      mark(ctx, projectId, kind, key, null)
    })
  }
}
