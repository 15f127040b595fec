import type { Ctx } from '../../../ctx.ts'
import { parseQuickActions } from '../quick_actions/parse.ts'
import type { Position } from './position.ts'
import { carryOut, type CommentTarget } from './comment.ts'
import { getNote, updateNote } from './service.ts'
import type { NoteView } from './views.ts'

/**
 * Changes the text of a note, or whether it is internal. Commands in a new text are carried out, and what it offers to
 * change in a diff is read anew. Throws 404, 403 for notes of others, 400 for the text.
 */
export async function edit(
  ctx: Ctx,
  at: CommentTarget,
  id: number,
  given: { body?: string | undefined; internal?: boolean | undefined },
): Promise<NoteView> {
  const { kind, project, target: place } = at
  const before = getNote(ctx, place, id)
  const isNew = given.body !== undefined && given.body !== before.note
  if (!isNew || !kind.commands) return updateNote(ctx, place, id, { ...given, ...(await offers(given.body)) })
  const { text, commands } = parseQuickActions(given.body!)
  const note = updateNote(ctx, place, id, { ...given, body: text, ...(await offers(text)) })
  const outcome = await carryOut(ctx, { kind, project, target: place }, commands)
  return { ...note, commands_changes: outcome.changes }

  async function offers(text: string | undefined) {
    if (text === undefined || !isNew || before.type !== 'DiffNote' || before.position === null) return {}
    const position = JSON.parse(before.position) as Position
    return { suggestions: await kind.suggest?.(ctx, project, place.noteable, text, position) }
  }
}
