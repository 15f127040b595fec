import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { parseQuickActions, type Command } from '../quick_actions/parse.ts'
import type { CommandOutcome } from '../quick_actions/outcome.ts'
import type { NoteableKind } from './noteable.ts'
import { checkBody, type NoteTarget } from './service.ts'

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
