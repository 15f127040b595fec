import { setImmediate as nextTurn } from 'node:timers/promises'

import { type Fields, text } from '../hosts/answers.ts'
import type { Person } from '../hosts/landing/index.ts'
import {
  isFatal,
  noteFailure,
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
  /** Whether to recover commits that are not reachable from a ref. */
  readonly recovers: boolean
}

/** The position of an interrupted import. */
export interface Cursor extends HostCursor {
  /** The first record of the page that is being read. */
  readonly start?: number
  /** The last merge request with imported activities. */
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

/** Counts a finished record, and lets other work run. */
export async function step(work: Work): Promise<void> {
  work.cursor = { ...work.cursor, done: (work.cursor.done ?? 0) + 1 }
  reportProgress(work)
  await nextTurn()
}

/** Imports one record. A failure is recorded, and the import continues. */
export async function attempt(
  work: Work,
  name: string,
  relation: string,
  land: () => unknown,
): Promise<void> {
  try {
    await land()
  } catch (error) {
    if (isFatal(work, error)) throw error
    noteFailureOnce(work, name, relation, error)
  }
}

/** Records a failure, once per record. */
export function noteFailureOnce(work: Work, source: string, relation: string, error: unknown): void {
  if (hasFailure(work.ctx.db, work.projectId, relation, source)) return
  noteFailure(work, source, error, relation)
}

const LONGEST_TIME = 8.64e15

/** A time, which Bitbucket Server sends in milliseconds, as ISO 8601; null for none. */
export function moment(of: Fields | null, name: string): string | null {
  const value = of?.[name]
  const isTime = typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= LONGEST_TIME
  return isTime ? new Date(value).toISOString() : null
}

const MAX_NAME = 255

/** A user of the host with their address (spec administration 6.10). */
export function personOf(user: Fields | null): Person {
  const login = text(user, 'slug') || text(user, 'name') || text(user, 'displayName') || 'unknown'
  return { login: login.slice(0, MAX_NAME), email: text(user, 'emailAddress') }
}
