import type { Ctx } from '../../../ctx.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import { fullPath, projectById, projectByPath, type Project } from '../../projects/index.ts'
import {
  issuableOf,
  noteableOf,
  tablesOf,
  type Issuable,
  type IssuableColumns,
  pathFrom,
} from './issuable.ts'
import { mayRead } from './store-reading.ts'
import { type TextReference, withoutCode } from './text-references.ts'
import { jsonList, type Database } from '../../../db/database.ts'
import { withoutEnd } from '../../../lib/text/trim.ts'

/** The source of a reference: an issue, a merge request or a commit. */
export type Source =
  | Pick<Issuable, 'kind' | 'id' | 'iid' | 'confidential'>
  | { readonly kind: 'Commit'; readonly sha: string }

/**
 * Finds the project of a reference in a text of the project `from`. A path without a slash names a project of the same
 * namespace.
 */
export function resolveProject(ctx: Ctx, from: Project, path: string | undefined): Project | undefined {
  if (path === undefined) return from
  const projectPath = path.includes('/') ? path : `${from.namespace_full_path}/${path}`
  const project = projectByPath(ctx.db, projectPath)
  return project?.id === from.id ? from : project
}

/** Finds the issue or merge request of a reference. Undefined if the actor may not see it. */
export function resolveIssuable(
  ctx: Ctx,
  from: Project,
  reference: TextReference,
): { readonly issuable: Issuable; readonly project: Project } | undefined {
  const project = resolveProject(ctx, from, reference.path)
  if (!project) return undefined
  const row = ctx.db.one<IssuableColumns>(
    `SELECT * FROM ${tablesOf(reference.kind).table} WHERE project_id = ? AND iid = ?`,
    project.id,
    reference.iid,
  )
  if (!row) return undefined
  const issuable = issuableOf(reference.kind, row)
  return mayRead(ctx, project, issuable) ? { issuable, project } : undefined
}

/** Writes the system note of a cross reference on `target`, unless it exists already. */
export function writeCrossReferenceNote(
  ctx: Ctx,
  { source, project }: { source: Source; project: Project },
  target: Issuable,
  targetProject: Project,
): void {
  const path = pathFrom(fullPath(project), fullPath(targetProject))
  const body = `mentioned in ${nameOf(source, path)}`
  const exists = ctx.db.one(
    `SELECT 1 FROM notes WHERE noteable_type = ? AND noteable_id = ? AND system = 1
       AND action = 'cross_reference' AND note = ?`,
    target.kind,
    target.id,
    body,
  )
  if (exists) return
  const isConfidential = 'confidential' in source && source.confidential === true
  writeSystemNote(ctx, noteableOf(target), {
    action: 'cross_reference',
    body,
    internal: isConfidential && target.confidential !== true,
  })
}

function nameOf(source: Source, path: string): string {
  if (source.kind === 'Commit') return `commit ${path === '' ? '' : `${path}@`}${source.sha}`
  const { noun, mark } = tablesOf(source.kind)
  return `${noun} ${path}${mark}${source.iid}`
}

/** Returns the record that a note is on, with its project, as the source of the references in the note. */
export function sourceOfNote(
  ctx: Ctx,
  note: {
    readonly project_id: number | null
    readonly noteable_type: string
    readonly noteable_id: number | null
    readonly commit_id: string | null
  },
): { readonly project: Project; readonly source: Source } | undefined {
  const project = note.project_id === null ? undefined : projectById(ctx.db, note.project_id)
  if (!project) return undefined
  const { noteable_type: kind } = note
  if (kind === 'Commit' && note.commit_id) return { project, source: { kind, sha: note.commit_id } }
  if (kind !== 'Issue' && kind !== 'MergeRequest') return undefined
  const row = issuableRow(ctx.db, kind, note.noteable_id)
  return row && { project, source: issuableOf(kind, row) }
}

export function issuableRow(db: Database, kind: Issuable['kind'], id: number | null) {
  return db.one<IssuableColumns>(`SELECT * FROM ${tablesOf(kind).table} WHERE id = ?`, id)
}

/** A user whom a text mentions. */
export interface Mention {
  readonly user_id: number
  /** Whether the text begins with the mention, so that it addresses this user. */
  readonly directly: boolean
}

const NAME = /(?<![\w@/.-])@([A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*)/g

/** The maximum number of names of one text that are looked up. */
const MAX_NAMES = 100

/**
 * Returns the names after an `@`, in lower case and without a trailing dot or dash. The value is true for names at the
 * beginning of the text.
 */
export function namesIn(text: string): Map<string, boolean> {
  const names = new Map<string, boolean>()
  if (!text.includes('@')) return names
  const plain = withoutCode(text)
  const opening = /^\s*(?:@[\w./-]+[\s,;:]*(?:and\s+)?)+/.exec(plain)?.[0].length ?? 0
  for (const match of plain.matchAll(NAME)) {
    const name = withoutEnd(match[1]!, '.-').toLowerCase()
    if (names.size >= MAX_NAMES && !names.has(name)) break
    names.set(name, (names.get(name) ?? false) || match.index < opening)
  }
  return names
}

/**
 * Returns the users whom a text mentions with `@name`, outside of code. The name of a group mentions its direct members.
 * The caller checks whether the users may read the text.
 */
export function mentionedIn(db: Database, text: string): Mention[] {
  const names = namesIn(text)
  if (names.size === 0) return []
  const nameList = jsonList([...names.keys()])
  const rows = db.many<{ user_id: number; name: string }>(
    `SELECT u.id AS user_id, lower(u.username) AS name FROM json_each(?) w
       JOIN users u ON u.username = w.value COLLATE NOCASE WHERE u.state = 'active'
     UNION SELECT m.user_id, lower(n.full_path) FROM json_each(?) w
       JOIN namespaces n ON n.full_path = w.value COLLATE NOCASE AND n.kind = 'group'
       JOIN members m ON m.namespace_id = n.id JOIN users u ON u.id = m.user_id WHERE u.state = 'active'`,
    nameList,
    nameList,
  )
  const result = new Map<number, boolean>()
  for (const { user_id, name } of rows)
    result.set(user_id, (result.get(user_id) ?? false) || (names.get(name) ?? false))
  return [...result].map(([user_id, directly]) => ({ user_id, directly }))
}
