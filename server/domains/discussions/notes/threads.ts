import type { Ctx } from '../../../ctx.ts'
import { getDiscussion, reply, startDiscussion } from './discussions.ts'
import type { GivenPosition, Position } from './position.ts'
import type { CommentTarget } from './comment.ts'
import type { NewNote } from './service.ts'
import type { NoteView } from './views.ts'

/**
 * The place in a diff that is meant, where one is given. Throws 400 for a place that is not there, 404 for a commit that
 * is none of the record's.
 */
export async function placeIn(
  ctx: Ctx,
  { kind, project, target: place }: CommentTarget,
  given: GivenPosition | undefined,
  commitId?: string,
): Promise<Position | undefined> {
  if (commitId !== undefined) await kind.checkCommit?.(ctx, project, place.noteable, commitId)
  return given && kind.place?.(ctx, project, place.noteable, given, commitId)
}

/** Begins a thread with all that its text offers. Throws 400 for a text that cannot stand. */
export async function begin(
  ctx: Ctx,
  { kind, project, target: place }: CommentTarget,
  given: Pick<NewNote, 'body' | 'created_at' | 'position' | 'commit_id'>,
): Promise<NoteView[]> {
  const { body, position: original } = given
  if (!original) return startDiscussion(ctx, kind, place, given)
  const isOfCommit = given.commit_id !== undefined
  const position =
    (isOfCommit ? undefined : await kind.placeNow?.(ctx, project, place.noteable, original)) ?? original
  const suggestions = await kind.suggest?.(ctx, project, place.noteable, body, position)
  return startDiscussion(ctx, kind, place, { ...given, position, original_position: original, suggestions })
}

/** Answers in a thread with all that its text offers. Throws as `reply` does. */
export async function answerIn(
  ctx: Ctx,
  { kind, project, target: place }: CommentTarget,
  given: Pick<NewNote, 'body' | 'created_at'> & { discussion_id: string },
): Promise<NoteView> {
  const [first] = getDiscussion(ctx, place, given.discussion_id)
  const position = first!.position === null ? undefined : (JSON.parse(first!.position) as Position)
  const suggestions = position && (await kind.suggest?.(ctx, project, place.noteable, given.body, position))
  return reply(ctx, kind, place, { ...given, suggestions })
}
