import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { mark, marked, runOf } from '../../../import_export/index.ts'
import { projectById, type Project } from '../../../projects/index.ts'
import { importedPlanning } from '../../../planning/index.ts'
import type { IssuableRef, Person } from './types.ts'

/**
 * A record of the other host cannot be imported. The message is for users; the import continues with the next record.
 */
export class CannotLand extends Error {
  /** Error class in lists of failures, as clients know it. */
  readonly exceptionClass: string

  constructor(sentence: string, exceptionClass = 'ActiveRecord::RecordInvalid') {
    super(sentence)
    this.name = 'CannotLand'
    this.exceptionClass = exceptionClass
  }
}

/** How people of the other host are found and named. */
export interface ImportTargetOptions {
  /** The identity provider with the `uid` of the people. */
  readonly identity_provider?: string | null | undefined
  /** The line that names an author without an account here; `*Created by: <login>*` by default. */
  readonly byLine?: ((person: Person) => string) | undefined
}

/** The project that an import fills. */
export interface ImportTarget extends ImportTargetOptions {
  readonly ctx: Ctx
  readonly projectId: number
  /** The author for all people without an account here. */
  readonly importerId: number
}

/** The target of an import. Throws CannotLand if the project was deleted. */
export function targetOf(ctx: Ctx, projectId: number, options: ImportTargetOptions): ImportTarget {
  const importerId = runOf(ctx.db, projectId)?.user_id ?? projectById(ctx.db, projectId)?.creator_id
  if (importerId == null) throw new CannotLand('The project or the importing user was deleted.')
  return { ctx, projectId, importerId, ...options }
}

/** The current row of the project. Throws CannotLand if it was deleted. */
export function projectOf({ ctx, projectId }: ImportTarget): Project {
  const project = projectById(ctx.db, projectId)
  if (!project) throw new CannotLand('The project was deleted.')
  return project
}

/** The id of the row that was created for a key: null if it created none, undefined if it was not imported yet. */
export function landed(
  { ctx, projectId }: ImportTarget,
  kind: string,
  key: string,
): number | null | undefined {
  return marked(ctx.db, projectId, kind, key)
}

/** Creates a row and marks its key in one transaction, unless the key is already marked. */
export function once(
  target: ImportTarget,
  kind: string,
  key: string,
  make: () => number | null,
): number | null {
  const { ctx, projectId } = target
  return tx(ctx.db, () => {
    const landedId = landed(target, kind, key)
    if (landedId !== undefined) return landedId
    const id = make()
    mark(ctx, projectId, kind, key, id)
    return id
  })
}

/** The id of an issue or merge request of the project. Throws CannotLand when it was not imported. */
export function issuableId({ ctx, projectId }: ImportTarget, ref: IssuableRef): number {
  const row = importedPlanning.issuableAt(ctx.db, projectId, ref)
  if (!row)
    throw new CannotLand(`${ref.kind === 'Issue' ? 'Issue' : 'Merge request'} ${ref.iid} was not imported.`)
  return row.id
}

const MAX_TEXT = 1_000_000
const MAX_TITLE = 255

/** A text that can be stored: without NUL and lone surrogates, of limited length. */
export function textOf(text: string | null | undefined): string {
  return (text ?? '').replaceAll('\0', '').toWellFormed().slice(0, MAX_TEXT)
}

/** A title of one line and at most 255 characters; `fallback` for an empty one. */
export function titleOf(title: string | null | undefined, fallback: string): string {
  const line = textOf(title).replace(/\s+/g, ' ').trim()
  return [...(line || fallback)].slice(0, MAX_TITLE).join('')
}

/** A time in the format of columns. Throws CannotLand for an invalid time. */
export function timeOf(time: string): string {
  const value = Date.parse(time)
  if (Number.isNaN(value)) throw new CannotLand('A time is invalid.')
  return new Date(value).toISOString()
}

/** As `timeOf`; null for no time. */
export function maybeTime(time: string | null | undefined): string | null {
  return time ? timeOf(time) : null
}
