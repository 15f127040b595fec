import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { mark, marked, runOf } from '../../../import_export/index.ts'
import { projectById, type Project } from '../../../projects/index.ts'
import { CannotLand } from './cannot-land.ts'
import type { Person } from './inputs.ts'

/** How people of the other host are found and named. */
export interface ImportTargetOptions {
  /** The identity provider here whose ids the people's `uid` are. */
  readonly identity_provider?: string | null | undefined
  /** The line that names an author who is nobody here; `*Created by: <login>*` unless said otherwise. */
  readonly byLine?: ((person: Person) => string) | undefined
}

/** Where things are landed. */
export interface ImportTarget extends ImportTargetOptions {
  readonly ctx: Ctx
  readonly projectId: number
  /** Stands in for everybody who is nobody here. */
  readonly importerId: number
}

/** The ground of a project. Throws CannotLand where it is gone. */
export function targetOf(ctx: Ctx, projectId: number, options: ImportTargetOptions): ImportTarget {
  const importerId = runOf(ctx.db, projectId)?.user_id ?? projectById(ctx.db, projectId)?.creator_id
  if (importerId == null) throw new CannotLand('The project, or whoever imports it, is gone.')
  return { ctx, projectId, importerId, ...options }
}

/** The project as it is now. Throws CannotLand where it is gone. */
export function projectOf({ ctx, projectId }: ImportTarget): Project {
  const project = projectById(ctx.db, projectId)
  if (!project) throw new CannotLand('The project is gone.')
  return project
}

/** What came of a key: undefined where it was not landed yet. */
export function landed(
  { ctx, projectId }: ImportTarget,
  kind: string,
  key: string,
): number | null | undefined {
  return marked(ctx.db, projectId, kind, key)
}

/** Makes something unless it was made, and marks it, in one transaction. */
export function once(
  target: ImportTarget,
  kind: string,
  key: string,
  make: () => number | null,
): number | null {
  const { ctx, projectId } = target
  return tx(ctx.db, () => {
    const known = landed(target, kind, key)
    if (known !== undefined) return known
    const id = make()
    mark(ctx, projectId, kind, key, id)
    return id
  })
}

interface Noted {
  readonly id: number
  readonly iid: number
}

/** The row of an issue or merge request of the project. Throws CannotLand where it is not there. */
export function thingAt(
  { ctx, projectId }: ImportTarget,
  { kind, iid }: { readonly kind: 'Issue' | 'MergeRequest'; readonly iid: number },
): Noted {
  const table = kind === 'Issue' ? 'issues' : 'merge_requests'
  const row = ctx.db.one<Noted>(
    `SELECT id, iid FROM ${table} WHERE project_id = ? AND iid = ?`,
    projectId,
    iid,
  )
  if (!row) throw new CannotLand(`${kind === 'Issue' ? 'Issue' : 'Merge request'} ${iid} was not imported.`)
  return row
}
