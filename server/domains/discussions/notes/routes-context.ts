import type { Ctx } from '../../../ctx.ts'
import type { Exchange, Shape } from '../../../http/endpoint.ts'
import { as, type Shown } from '../../../http/entity.ts'
import type { Limit } from '../../../http/limit.ts'
import { isListed } from '../../../policy/actor.ts'
import type { Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import type { Said } from './comment.ts'
import { NoteCommands } from './entity.ts'
import { noteTarget, type NoteTarget } from './service.ts'
import type { NoteableKind } from './types.ts'
import type { NoteView } from './views.ts'

/** The context of a request below `/projects/:id` with the path parameters of a kind. */
type KindContext = Ctx & { readonly project: Project; readonly params: Readonly<Record<string, unknown>> }

/** Declares optional parameters only where a kind takes them; elsewhere their values are undefined. */
export function onlyWhere<S extends Shape>(isTaken: boolean, shape: S): S {
  return isTaken ? shape : ({} as S)
}

/** Loads the record that the path names. Throws 404 when the actor may not see it. */
export async function targetOf(ctx: KindContext, kind: NoteableKind): Promise<NoteTarget> {
  return noteTarget(ctx, ctx.project, await kind.load(ctx, ctx.project, ctx.params))
}

/** Loads the record to write a note under it. Throws 404 as `targetOf`, and 403 when its discussion is locked. */
export async function writingTargetOf(ctx: KindContext, kind: NoteableKind): Promise<NoteTarget> {
  const target = await targetOf(ctx, kind)
  kind.checkWrite?.(ctx, ctx.project, target.noteable)
  return target
}

/** The number of notes that a user may write per minute (spec administration 1.2). */
export const WRITING: Limit = {
  max: 300,
  per: 60,
  together: 'notes',
  maxOf: (ctx: Ctx) => {
    const { notes_create_limit, notes_create_limit_allowlist } = settingsOf(ctx)
    return isListed(ctx.actor, notes_create_limit_allowlist) ? 0 : notes_create_limit
  },
}

/** The `also` of endpoints that take quick actions. */
export const COMMANDS_ALONE = { 202: 'The text contained only quick actions, and they were executed' }

/** Shows the written note by `show`, or answers 202 with the results when the text contained only quick actions. */
export function showSaid<Written>(
  ctx: { readonly http: Exchange },
  { written, outcome }: Said<Written>,
  show: (written: Written) => Shown,
): Shown {
  if (written !== undefined) return show(written)
  ctx.http.status(202)
  return as(NoteCommands, outcome) as Shown
}

/** Adds the changes of the quick actions to a note that was just written. */
export function withChanges(note: NoteView, { outcome }: Said<unknown>): NoteView {
  return { ...note, commands_changes: outcome.changes }
}
