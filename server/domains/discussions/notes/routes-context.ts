import type { Ctx } from '../../../ctx.ts'
import type { Exchange } from '../../../http/endpoint.ts'
import { as, type Shown } from '../../../http/entity.ts'
import type { Limit } from '../../../http/limit.ts'
import type { Paging } from '../../../http/returns.ts'
import { isListed } from '../../../policy/actor.ts'
import type { Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import type { Said } from './comment.ts'
import { NoteCommands } from './entity.ts'
import type { GivenPosition } from './position.ts'
import { noteTarget, type NoteTarget } from './service.ts'
import type { NoteableKind } from './types.ts'
import type { NoteView } from './views.ts'

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
/** Notes that one user may write a minute, wherever (spec administration 1.2). */

export const WRITING: Limit = {
  max: 300,
  per: 60,
  together: 'notes',
  maxOf: (ctx: Ctx) => {
    const { notes_create_limit, notes_create_limit_allowlist } = settingsOf(ctx)
    return isListed(ctx.actor, notes_create_limit_allowlist) ? 0 : notes_create_limit
  },
}
/** The answer where a text was nothing but commands, as `also` of an endpoint. */

export const COMMANDS_ALONE = { 202: 'The text was commands alone, which were carried out' }
/** Answers with what was written, by `show`; 202 with what commands did where they stood alone. */

export function showSaid<Written>(
  ctx: { readonly http: Exchange },
  { written, outcome }: Said<Written>,
  show: (written: Written) => Shown,
): Shown {
  if (written !== undefined) return show(written)
  ctx.http.status(202)
  return as(NoteCommands, outcome) as Shown
}
/** A note that was just written, with what its commands did. */

export function withChanges(note: NoteView, { outcome }: Said<unknown>): NoteView {
  return { ...note, commands_changes: outcome.changes }
}
