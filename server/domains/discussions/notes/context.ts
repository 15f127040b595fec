import type { Ctx } from '../../../ctx.ts'
import type { Exchange } from '../../../http/endpoint.ts'
import type { Paging } from '../../../http/returns.ts'
import { isAble } from '../../../policy/ability.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import type { NoteableKind } from './noteable.ts'
import { abilities } from './policy.ts'
import type { NoteTarget } from './service.ts'
import type { GivenPosition } from './position.ts'

/** All parameters that the endpoints of notes know; each declares those that it takes. */
export interface NoteParams {
  readonly note_id: number
  readonly discussion_id: string
  readonly body?: string
  readonly created_at?: string
  readonly internal?: boolean
  readonly confidential?: boolean
  readonly resolved?: boolean
  readonly position?: GivenPosition
  readonly commit_id?: string
  readonly activity_filter?: 'all_notes' | 'only_comments' | 'only_activity'
}

/** What `run` of an endpoint that is made for a kind receives; the kind's own parameters are not known by name. */
export interface NoteContext extends Ctx {
  readonly project: Project
  readonly params: NoteParams & Readonly<Record<string, unknown>>
  readonly paging: Paging
  readonly http: Exchange
}

/** What a request is about, with what its actor may do there. Throws 404 when they may not see it. */
export async function targetOf(ctx: NoteContext, kind: NoteableKind): Promise<NoteTarget> {
  return noteTarget(ctx, ctx.project, await kind.load(ctx, ctx.project, ctx.params))
}

/** The same to write there. Throws 403 too where the actor may not write under this very record. */
export async function writingTargetOf(ctx: NoteContext, kind: NoteableKind): Promise<NoteTarget> {
  const target = await targetOf(ctx, kind)
  kind.checkWrite?.(ctx, ctx.project, target.noteable)
  return target
}

/** The same for a record that is at hand. */
export function noteTarget(ctx: Ctx, project: Project, noteable: NoteTarget['noteable']): NoteTarget {
  return {
    noteable,
    seesInternal: isAble(ctx, scope, abilities.read_internal_note, project),
    mayAdmin: isAble(ctx, scope, abilities.admin_note, project, true),
  }
}
