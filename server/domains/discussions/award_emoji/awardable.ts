import type { Ctx } from '../../../ctx.ts'
import { Failure, notFound } from '../../../lib/fail.ts'
import { findNote } from '../notes/service.ts'
import { noteTarget } from '../notes/context.ts'
import type { Noteable, NoteableKind } from '../notes/noteable.ts'
import type { Project } from '../../projects/index.ts'
import type { Target } from './store.ts'

/** A kind of record that emoji are given to; a kind that notes are written under is one. */
export type AwardKind = Pick<
  NoteableKind,
  'path' | 'title' | 'params' | 'read' | 'write' | 'load' | 'checkWrite'
>

/** What emoji are given to: a record, or a note under one. */
export interface Awardable extends Target {
  /** The record, also for its notes. */
  readonly noteable: Noteable
  /** False for what the instance wrote by itself. */
  readonly takesEmoji: boolean
}

/** A record as something that emoji are given to. Commits take none. */
export function awardable(noteable: Noteable): Awardable {
  if (noteable.type === 'Commit') throw new Error('Commits take no emoji.')
  return { awardable_type: noteable.type, awardable_id: noteable.id!, noteable, takesEmoji: true }
}

/** What the path of a request names: a record, or a note under it. Throws 404 when the actor may not see it. */
export async function awardableOf(
  ctx: Ctx & { readonly project: Project; readonly params: Readonly<Record<string, unknown>> },
  kind: AwardKind,
): Promise<Awardable> {
  const noteable = await kind.load(ctx, ctx.project, ctx.params)
  const noteId = ctx.params['note_id']
  if (noteId === undefined) return awardable(noteable)
  const note = findNote(ctx, noteTarget(ctx, ctx.project, noteable), Number(noteId))
  if (!note) throw new Failure('not_found', '404 Not found')
  return { awardable_type: 'Note', awardable_id: note.id, noteable, takesEmoji: !note.system }
}

/** Throws 404 where the actor may look but not give emoji: a locked discussion, what the instance wrote. */
export function checkAward(
  ctx: Ctx & { readonly project: Project },
  kind: AwardKind,
  target: Awardable,
): void {
  if (!target.takesEmoji) throw notFound('Award Emoji')
  try {
    kind.checkWrite?.(ctx, ctx.project, target.noteable)
  } catch (error) {
    throw error instanceof Failure ? notFound('Award Emoji') : error
  }
}
