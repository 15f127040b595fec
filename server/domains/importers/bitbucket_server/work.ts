import { setImmediate as nextTurn } from 'node:timers/promises'

import type { Ctx } from '../../../ctx.ts'
import {
  cleaned,
  credentialsOf,
  recordFailures,
  runOf,
  signalOf,
  tellProgress,
  currentTime,
  updateRun,
  type Run,
} from '../../import_export/index.ts'
import { type Fields, HostProblem, HostWaits, text } from '../hosts/answers.ts'
import { CannotLand, landingOf, type Landing, type Person } from '../hosts/landing/index.ts'
import { hasFailure } from './store.ts'
import { bitbucketServerAddress, BitbucketServerClient } from './client.ts'

/** What is imported, as the run keeps it. */
export interface ImportSource {
  readonly url: string
  readonly username: string
  /** Key of the project there. */
  readonly project: string
  /** Slug of the repository. */
  readonly repository: string
  /** Whether commits that nothing leads to any more are asked for. */
  readonly recovers: boolean
}

/** Where an import goes on after it was cut off. */
export interface Cursor {
  readonly stage?: string
  /** From which record on the list is being read. */
  readonly start?: number
  /** The last merge request with imported activities. */
  readonly iid?: number
  readonly done?: number
  /** How often the host was too broken to go on. */
  readonly trouble?: number
}

/** An import that is under way. */
export interface Work {
  readonly ctx: Ctx
  readonly projectId: number
  readonly source: ImportSource
  readonly client: BitbucketServerClient
  readonly landing: Landing
  readonly signal: AbortSignal
  cursor: Cursor
  total: number
}

/** A part of the import (spec administration 6.10). May be interrupted anywhere, and run again. */
export interface Stage {
  readonly name: string
  run(work: Work): Promise<void>
}

/** The work that a run describes. */
export function workOf(ctx: Ctx, projectId: number, run: Run): Work {
  const source = JSON.parse(run.source) as ImportSource
  const address = bitbucketServerAddress(source.url)
  if (!address) throw new CannotLand('The address of the other host is none.')
  const signal = signalOf(ctx, projectId)
  const token = credentialsOf(ctx, run)['token'] ?? ''
  const now = () => currentTime(ctx, projectId)
  return {
    ctx,
    projectId,
    source,
    client: new BitbucketServerClient(ctx, address, { username: source.username, token, signal, now }),
    landing: landingOf(ctx, projectId),
    signal,
    cursor: JSON.parse(run.cursor) as Cursor,
    total: 0,
  }
}

/** Path of a repository in the other host's interface. */
export function repositoryPath({
  project,
  repository,
}: Pick<ImportSource, 'project' | 'repository'>): string {
  return `/projects/${encodeURIComponent(project)}/repos/${encodeURIComponent(repository)}`
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

/** One more is done; gives way to others. */
export async function step(work: Work): Promise<void> {
  work.cursor = { ...work.cursor, done: (work.cursor.done ?? 0) + 1 }
  reportProgress(work)
  await nextTurn()
}

/** Says how far the present stage is. */
export function reportProgress({ ctx, projectId, cursor, total }: Work): void {
  tellProgress(ctx, projectId, { step: cursor.stage ?? 'start', done: cursor.done ?? 0, total })
}

/** Lands one record; a failure is recorded, and the rest goes on. */
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
    noteFailure(work, name, relation, error)
  }
}

function isFatal({ signal }: Work, error: unknown): boolean {
  return (
    signal.aborted ||
    error instanceof HostWaits ||
    (error instanceof HostProblem && (error.isPassing || error.status === 401))
  )
}

/** Records a failure, once per record. */
export function noteFailure(work: Work, source: string, relation: string, error: unknown): void {
  const { ctx, projectId } = work
  const isKnown = error instanceof CannotLand || error instanceof HostProblem
  if (!isKnown)
    ctx.log.warn({ err: error, project_id: projectId }, 'something of another host could not be imported')
  if (hasFailure(ctx.db, projectId, relation, source)) return
  recordFailures(ctx, { project_id: projectId }, [
    {
      source: source.slice(0, 200),
      relation_name: relation,
      exception_class: error instanceof CannotLand ? error.exceptionClass : 'StandardError',
      exception_message: isKnown ? cleaned(error.message) : 'It could not be stored.',
    },
  ])
}

const LONGEST_TIME = 8.64e15

/** A time, which Bitbucket Server sends in milliseconds, as ISO 8601; null for none. */
export function moment(of: Fields | null, name: string): string | null {
  const value = of?.[name]
  const isTime = typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= LONGEST_TIME
  return isTime ? new Date(value).toISOString() : null
}

const MAX_NAME = 255

/** Somebody of the other host with their address (spec administration 6.10). */
export function personOf(user: Fields | null): Person {
  const login = text(user, 'slug') || text(user, 'name') || text(user, 'displayName') || 'unknown'
  return { login: login.slice(0, MAX_NAME), email: text(user, 'emailAddress') }
}
