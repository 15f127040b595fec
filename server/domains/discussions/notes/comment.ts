import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import type { CommandOutcome } from '../quick_actions/commands.ts'
import { parseQuickActions, type Command } from '../quick_actions/parse.ts'
import { getDiscussion, reply, startDiscussion } from './discussions.ts'
import type { GivenPosition, Position } from './position.ts'
import { checkBody, getNote, updateNote, type NewNote, type NoteTarget } from './service.ts'
import type { NoteableKind } from './types.ts'
import type { NoteView } from './views.ts'

/** What became of a text: what was written of it, and what its commands did. */
export interface Said<Written> {
  /** Undefined where the text held nothing but commands. */
  readonly written: Written | undefined
  readonly outcome: CommandOutcome
}

/** Where something is said, and what kind of thing that is. */
export interface CommentTarget {
  readonly kind: NoteableKind
  readonly project: Project
  readonly target: NoteTarget
  /** What the kind's commands may want to know beside the text. */
  readonly given?: Readonly<Record<string, unknown>>
}

const NOTHING: CommandOutcome = { changes: {}, summary: [] }

/**
 * Writes a text by `write` and then carries out its commands, where the kind knows any. Throws 400 for a text that cannot
 * stand, and for commands alone of which none applied.
 */
export async function say<Written>(
  ctx: Ctx,
  at: CommentTarget,
  body: string,
  write: (text: string) => Written | Promise<Written>,
): Promise<Said<Written>> {
  checkBody(body)
  if (!at.kind.commands) return { written: await write(body), outcome: NOTHING }
  const { text, commands } = parseQuickActions(body)
  if (text !== '' || commands.length === 0) {
    const written = await write(text)
    return { written, outcome: await carryOut(ctx, at, commands) }
  }
  const outcome = await carryOut(ctx, at, commands)
  if (outcome.summary.length === 0) throw noneApplied(commands)
  return { written: undefined, outcome }
}

/** Carries out commands under something; those that do not apply are passed over. */
export async function carryOut(
  ctx: Ctx,
  { kind, project, target: place, given = {} }: CommentTarget,
  commands: readonly Command[],
): Promise<CommandOutcome> {
  if (commands.length === 0 || !kind.commands) return NOTHING
  return kind.commands(ctx, project, place.noteable, commands, given)
}

function noneApplied(commands: readonly Command[]) {
  const names = commands.map((one) => `"${one.name}"`).join(', ')
  return fail(
    'bad_request',
    `400 Bad request - Note {:command_names=>[${names}], :commands=>["Commands did not apply"]}`,
  )
}

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
