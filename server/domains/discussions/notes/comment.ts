import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import type { CommandOutcome } from '../quick_actions/commands.ts'
import { parseQuickActions, type Command } from '../quick_actions/parse.ts'
import { getDiscussion, reply, startDiscussion } from './discussions.ts'
import type { PositionInput, Position } from './position.ts'
import { checkBody, getNote, updateNote, type NewNote, type NoteTarget } from './service.ts'
import type { NoteableKind } from './types.ts'
import type { NoteView } from './views.ts'

/** The result of a text: the note or thread that was written, and the results of its quick actions. */
export interface WrittenComment<Written> {
  /** Undefined when the text contained only quick actions. */
  readonly written: Written | undefined
  readonly outcome: CommandOutcome
}

/** The record that a comment is written on, with its kind. */
export interface CommentTarget {
  readonly kind: NoteableKind
  readonly project: Project
  readonly target: NoteTarget
  /** The parameters of the request, which the quick actions of the kind may need. */
  readonly params?: Readonly<Record<string, unknown>>
}

const NO_OUTCOME: CommandOutcome = { changes: {}, summary: [] }

/**
 * Writes a text with `write`, then executes its quick actions if the kind has any. Throws 400 for an invalid text, and
 * for a text with only quick actions when none of them applies.
 */
export async function writeComment<Written>(
  ctx: Ctx,
  commentTarget: CommentTarget,
  body: string,
  write: (text: string) => Written | Promise<Written>,
): Promise<WrittenComment<Written>> {
  checkBody(body)
  if (!commentTarget.kind.commands) return { written: await write(body), outcome: NO_OUTCOME }
  const { text, commands } = parseQuickActions(body)
  if (text !== '' || commands.length === 0) {
    const written = await write(text)
    return { written, outcome: await runQuickActions(ctx, commentTarget, commands) }
  }
  const outcome = await runQuickActions(ctx, commentTarget, commands)
  if (outcome.summary.length === 0) throw noCommandApplied(commands)
  return { written: undefined, outcome }
}

/** Executes quick actions on a record. Skips actions that do not apply. */
export async function runQuickActions(
  ctx: Ctx,
  { kind, project, target, params = {} }: CommentTarget,
  commands: readonly Command[],
): Promise<CommandOutcome> {
  if (commands.length === 0 || !kind.commands) return NO_OUTCOME
  return kind.commands(ctx, project, target.noteable, commands, params)
}

function noCommandApplied(commands: readonly Command[]) {
  const names = commands.map((command) => `"${command.name}"`).join(', ')
  return fail(
    'bad_request',
    `400 Bad request - Note {:command_names=>[${names}], :commands=>["Commands did not apply"]}`,
  )
}

/**
 * Changes the text of a note, or whether it is internal. Executes the quick actions of a new text and replaces the
 * suggestions. Throws 404, 403 for notes of others, 400 for an invalid text.
 */
export async function editNote(
  ctx: Ctx,
  commentTarget: CommentTarget,
  id: number,
  changes: { body?: string | undefined; internal?: boolean | undefined },
): Promise<NoteView> {
  const { kind, project, target } = commentTarget
  const before = getNote(ctx, target, id)
  const isNew = changes.body !== undefined && changes.body !== before.note
  if (!isNew || !kind.commands)
    return updateNote(ctx, target, id, { ...changes, ...(await newSuggestions(changes.body)) })
  const { text, commands } = parseQuickActions(changes.body!)
  const note = updateNote(ctx, target, id, { ...changes, body: text, ...(await newSuggestions(text)) })
  const outcome = await runQuickActions(ctx, { kind, project, target }, commands)
  return { ...note, commands_changes: outcome.changes }

  async function newSuggestions(text: string | undefined) {
    if (text === undefined || !isNew || before.type !== 'DiffNote' || before.position === null) return {}
    const position = JSON.parse(before.position) as Position
    return { suggestions: await kind.suggest?.(ctx, project, target.noteable, text, position) }
  }
}

/**
 * Checks and completes the given position in a diff. Throws 400 for a position that the diff does not have, 404 for a
 * commit that does not belong to the record.
 */
export async function positionIn(
  ctx: Ctx,
  { kind, project, target }: CommentTarget,
  position: PositionInput | undefined,
  commitId?: string,
): Promise<Position | undefined> {
  if (commitId !== undefined) await kind.checkCommit?.(ctx, project, target.noteable, commitId)
  return position && kind.resolvePosition?.(ctx, project, target.noteable, position, commitId)
}

/** Starts a thread, with the suggestions in its text. Throws 400 for an invalid text. */
export async function startThread(
  ctx: Ctx,
  { kind, project, target }: CommentTarget,
  input: Pick<NewNote, 'body' | 'created_at' | 'position' | 'commit_id'>,
): Promise<NoteView[]> {
  const { body, position: original } = input
  if (!original) return startDiscussion(ctx, kind, target, input)
  const isOfCommit = input.commit_id !== undefined
  const position =
    (isOfCommit ? undefined : await kind.currentPosition?.(ctx, project, target.noteable, original)) ??
    original
  const suggestions = await kind.suggest?.(ctx, project, target.noteable, body, position)
  return startDiscussion(ctx, kind, target, { ...input, position, original_position: original, suggestions })
}

/** Replies in a thread, with the suggestions in the text. Throws as `reply` does. */
export async function replyWithSuggestions(
  ctx: Ctx,
  { kind, project, target }: CommentTarget,
  input: Pick<NewNote, 'body' | 'created_at'> & { discussion_id: string },
): Promise<NoteView> {
  const [first] = getDiscussion(ctx, target, input.discussion_id)
  const position = first!.position === null ? undefined : (JSON.parse(first!.position) as Position)
  const suggestions = position && (await kind.suggest?.(ctx, project, target.noteable, input.body, position))
  return reply(ctx, kind, target, { ...input, suggestions })
}
