import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { mark, markedId, runOf } from '../../../import_export/index.ts'
import { projectById, type Project } from '../../../projects/index.ts'
import { importedPlanning } from '../../../planning/index.ts'
import type { IssuableRef, Person } from './types.ts'

/**
 * A record of the other host that cannot be imported. The message is for users. The import continues with the next
 * record.
 */
export class LandingError extends Error {
  /** Error class in lists of failures, as clients know it. */
  readonly exceptionClass: string

  constructor(sentence: string, exceptionClass = 'ActiveRecord::RecordInvalid') {
    super(sentence)
    this.name = 'LandingError'
    this.exceptionClass = exceptionClass
  }
}

/** How people of the other host are matched to users and named. */
export interface ImportTargetOptions {
  /** The identity provider that issued the `uid` of people. */
  readonly identity_provider?: string | null | undefined
  /** Returns the line that names an author without an account here. Default is `*Created by: <login>*`. */
  readonly authorLine?: ((person: Person) => string) | undefined
}

/** The project into which records are imported. */
export interface ImportTarget extends ImportTargetOptions {
  readonly ctx: Ctx
  readonly projectId: number
  /** The author for all people without an account here. */
  readonly importerId: number
}

/** The target of an import. Throws LandingError if the project was deleted. */
export function targetOf(ctx: Ctx, projectId: number, options: ImportTargetOptions): ImportTarget {
  const importerId = runOf(ctx.db, projectId)?.user_id ?? projectById(ctx.db, projectId)?.creator_id
  if (importerId == null) throw new LandingError('The project or the importing user was deleted.')
  return { ctx, projectId, importerId, ...options }
}

/** The current row of the project. Throws LandingError if it was deleted. */
export function projectOf({ ctx, projectId }: ImportTarget): Project {
  const project = projectById(ctx.db, projectId)
  if (!project) throw new LandingError('The project was deleted.')
  return project
}

/**
 * The ID of the row that was created for a key; null if no row was created, undefined if the key was not imported yet.
 */
export function importedId(
  { ctx, projectId }: ImportTarget,
  kind: string,
  key: string,
): number | null | undefined {
  return markedId(ctx.db, projectId, kind, key)
}

/** Creates a row and marks its key in one transaction, unless the key is already marked. */
export function importOnce(
  target: ImportTarget,
  kind: string,
  key: string,
  create: () => number | null,
): number | null {
  const { ctx, projectId } = target
  return tx(ctx.db, () => {
    const existingId = importedId(target, kind, key)
    if (existingId !== undefined) return existingId
    const id = create()
    mark(ctx, projectId, kind, key, id)
    return id
  })
}

/** The ID of an issue or merge request of the project. Throws LandingError if it was not imported. */
export function issuableId({ ctx, projectId }: ImportTarget, ref: IssuableRef): number {
  const row = importedPlanning.issuableAt(ctx.db, projectId, ref)
  if (!row)
    throw new LandingError(`${ref.kind === 'Issue' ? 'Issue' : 'Merge request'} ${ref.iid} was not imported.`)
  return row.id
}

const MAX_TEXT = 1_000_000
const MAX_TITLE = 255

/** A text in a form that can be stored, without NUL and lone surrogates, and of limited length. */
export function textOf(text: string | null | undefined): string {
  return (text ?? '').replaceAll('\0', '').toWellFormed().slice(0, MAX_TEXT)
}

/** A title in one line of at most 255 characters. An empty title becomes `fallback`. */
export function titleOf(title: string | null | undefined, fallback: string): string {
  const line = textOf(title).replace(/\s+/g, ' ').trim()
  return [...(line || fallback)].slice(0, MAX_TITLE).join('')
}

/** A time in the format of columns. Throws LandingError for an invalid time. */
export function timeOf(time: string): string {
  const value = Date.parse(time)
  if (Number.isNaN(value)) throw new LandingError('A time is invalid.')
  return new Date(value).toISOString()
}

/** Returns the same as `timeOf`, or null for no time. */
export function optionalTime(time: string | null | undefined): string | null {
  return time ? timeOf(time) : null
}
