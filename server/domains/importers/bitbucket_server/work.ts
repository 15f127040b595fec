import { setImmediate as nextTurn } from 'node:timers/promises'

import { type Fields, text } from '../hosts/answers.ts'
import type { Person } from '../hosts/landing/index.ts'
import {
  isFatal,
  recordFailure,
  reportProgress,
  type HostCursor,
  type HostStage,
  type HostWork,
} from '../hosts/work.ts'
import type { BitbucketServerClient } from './client.ts'
import { hasFailure } from './store.ts'

/** The source of an import, as its run stores it. */
export interface ImportSource {
  readonly url: string
  readonly username: string
  /** Key of the project. */
  readonly project: string
  /** Slug of the repository. */
  readonly repository: string
  /** Whether commits are recovered that are not reachable from a ref. */
  readonly recovers: boolean
}

/** The position of an import, which continues there after an interruption. */
export interface Cursor extends HostCursor {
  /** Number of the first record on the current page of pull requests. */
  readonly start?: number
  /** Number of the last merge request with imported activities. */
  readonly iid?: number
}

export type Work = HostWork<ImportSource, BitbucketServerClient, Cursor>
export type Stage = HostStage<Work>

/** Path of a repository in the REST API. */
export function repositoryPath({
  project,
  repository,
}: Pick<ImportSource, 'project' | 'repository'>): string {
  return `/projects/${encodeURIComponent(project)}/repos/${encodeURIComponent(repository)}`
}

/** Counts an imported record, and lets other code run. */
export async function finishRecord(work: Work): Promise<void> {
  work.cursor = { ...work.cursor, done: (work.cursor.done ?? 0) + 1 }
  reportProgress(work)
  await nextTurn()
}

/** Imports one record. Records a failure, so that the import continues. */
export async function importRecord(
  work: Work,
  name: string,
  relation: string,
  land: () => unknown,
): Promise<void> {
  try {
    await land()
  } catch (error) {
    if (isFatal(work, error)) throw error
    recordFailureOnce(work, name, relation, error)
  }
}

/** Records a failure, once per record. */
export function recordFailureOnce(work: Work, source: string, relation: string, error: unknown): void {
  if (hasFailure(work.ctx.db, work.projectId, relation, source)) return
  recordFailure(work, source, error, relation)
}

const MAX_TIME_MS = 8.64e15

/** The time in a field as ISO 8601; null if there is none. Bitbucket Server sends milliseconds. */
export function timeIn(fields: Fields | null, name: string): string | null {
  const value = fields?.[name]
  const isTime = typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= MAX_TIME_MS
  return isTime ? new Date(value).toISOString() : null
}

const MAX_NAME = 255

/** A user of the host with their email address (spec administration 6.10). */
export function personOf(user: Fields | null): Person {
  const login = text(user, 'slug') || text(user, 'name') || text(user, 'displayName') || 'unknown'
  return { login: login.slice(0, MAX_NAME), email: text(user, 'emailAddress') }
}
