import type { Ctx } from '../../../ctx.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import { fullPath, projectById, projectByPath, type Project } from '../../projects/index.ts'
import { issuableOf, noteableOf, tablesOf, type Issuable, type IssuableColumns } from './issuable.ts'
import { mayRead } from './reading.ts'
import { pathFrom } from './references.ts'
import { referencesIn, type TextReference } from './text-references.ts'

/** What names something else: an issue, a merge request or a commit. */
export type Source =
  | Pick<Issuable, 'kind' | 'id' | 'iid' | 'confidential'>
  | { readonly kind: 'Commit'; readonly sha: string }

/** The project that a reference means, seen from another one; a name alone is a sister. */
export function projectMeant(ctx: Ctx, from: Project, path: string | undefined): Project | undefined {
  if (path === undefined) return from
  const whole = path.includes('/') ? path : `${from.namespace_full_path}/${path}`
  const found = projectByPath(ctx.db, whole)
  return found?.id === from.id ? from : found
}

/** What a reference names, if the actor may see it. */
export function issuableMeant(
  ctx: Ctx,
  from: Project,
  reference: TextReference,
): { readonly issuable: Issuable; readonly project: Project } | undefined {
  const project = projectMeant(ctx, from, reference.path)
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

/**
 * Writes `mentioned in …` under everything that a text names and the actor may see, once for each source. What its
 * readers may not see is not named to them: a source in a less open project is passed over, and a confidential one is
 * told to people of the project only. To be called in the transaction of the change, in the name of whoever wrote the text.
 */
export function crossReference(
  ctx: Ctx,
  project: Project,
  source: Source,
  text: string,
  except: ReadonlySet<number> = new Set(),
): void {
  if (ctx.actor.kind !== 'user') return
  for (const reference of referencesIn(text, ctx.config.url)) {
    const found = issuableMeant(ctx, project, reference)
    if (!found || isSame(source, found.issuable)) continue
    const { issuable: target, project: where } = found
    const isExcepted = target.kind === 'Issue' && except.has(target.id)
    if (!isExcepted && isOpenTo(project, where, source.kind)) mention(ctx, { source, project }, target, where)
  }
}

function isSame(source: Source, target: Issuable): boolean {
  return source.kind === target.kind && 'id' in source && source.id === target.id
}

const FEATURES = { Issue: 'issues', MergeRequest: 'merge_requests', Commit: 'repository' } as const

/** Whether everybody who sees a project also sees things of that kind in another one. */
function isOpenTo(source: Project, target: Project, kind: Source['kind']): boolean {
  if (source.id === target.id) return true
  if (source[`${FEATURES[kind]}_access_level`] !== 'enabled') return false
  return (
    source.visibility === 'public' || (source.visibility === 'internal' && target.visibility !== 'public')
  )
}

function mention(
  ctx: Ctx,
  { source, project }: { source: Source; project: Project },
  target: Issuable,
  where: Project,
): void {
  const path = pathFrom(fullPath(project), fullPath(where))
  const body = `mentioned in ${nameOf(source, path)}`
  const isKnown = ctx.db.one(
    `SELECT 1 FROM notes WHERE noteable_type = ? AND noteable_id = ? AND system = 1
       AND action = 'cross_reference' AND note = ?`,
    target.kind,
    target.id,
    body,
  )
  if (isKnown) return
  const isSecret = 'confidential' in source && source.confidential === true
  writeSystemNote(ctx, noteableOf(target), {
    action: 'cross_reference',
    body,
    internal: isSecret && target.confidential !== true,
  })
}

function nameOf(source: Source, path: string): string {
  if (source.kind === 'Commit') return `commit ${path === '' ? '' : `${path}@`}${source.sha}`
  const { noun, mark } = tablesOf(source.kind)
  return `${noun} ${path}${mark}${source.iid}`
}

/** The project and the record that a note is under, as a source of mentions. */
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
  const row = ctx.db.one<IssuableColumns>(
    `SELECT * FROM ${tablesOf(kind).table} WHERE id = ?`,
    note.noteable_id,
  )
  return row && { project, source: issuableOf(kind, row) }
}
