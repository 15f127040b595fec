import type { Command } from './parse.ts'

/**
 * The commands that people write on lines of their own, by name, each with the other words for it (what users of the
 * contract's service are used to). The name is what executors switch on.
 */
const WORDS = {
  // Issues and merge requests.
  assign: [],
  unassign: ['remove_assignee'],
  reassign: [],
  label: ['labels'],
  unlabel: ['remove_label'],
  relabel: [],
  milestone: [],
  remove_milestone: [],
  title: [],
  close: [],
  reopen: ['open'],
  lock: [],
  unlock: [],
  subscribe: [],
  unsubscribe: [],
  todo: [],
  done: [],
  award: ['react'],
  estimate: ['estimate_time'],
  remove_estimate: ['remove_time_estimate'],
  spend: ['spent', 'spend_time'],
  remove_time_spent: [],
  copy_metadata: [],
  // Issues.
  due: [],
  remove_due_date: [],
  confidential: [],
  weight: [],
  clear_weight: [],
  health_status: [],
  clear_health_status: [],
  duplicate: [],
  move: [],
  clone: [],
  board_move: [],
  relate: [],
  unlink: [],
  blocks: [],
  blocked_by: [],
  severity: [],
  type: [],
  promote_to_incident: [],
  create_merge_request: [],
  // Merge requests.
  merge: [],
  rebase: [],
  draft: ['wip'],
  ready: [],
  target_branch: [],
  approve: [],
  unapprove: [],
  assign_reviewer: ['reviewer', 'request_review'],
  unassign_reviewer: ['remove_reviewer'],
  reassign_reviewer: [],
  submit_review: [],
} as const satisfies Record<string, readonly string[]>

/** The name of a command, whichever of its words was written. */
export type CommandName = keyof typeof WORDS

const NAMES = new Map<string, CommandName>(
  Object.entries(WORDS).flatMap(([name, others]) =>
    [name, ...others].map((word) => [word, name as CommandName] as const),
  ),
)

/** The command of that word, whatever its case. */
export function commandNamed(word: string): CommandName | undefined {
  return NAMES.get(word.toLowerCase())
}

/** Commands that only put something into the text; the rest of the line stays. */
const ADDITIONS: Readonly<Record<string, string>> = {
  shrug: '¯\\＿(ツ)＿/¯',
  tableflip: '(╯°□°)╯︵ ┻━┻',
}

/** The line that such a command stands for; undefined for other words. */
export function additionOf(word: string, args: string): string | undefined {
  const addition = ADDITIONS[word.toLowerCase()]
  return addition === undefined ? undefined : args === '' ? addition : `${args} ${addition}`
}

/** What one command did. */
export interface CommandResult {
  /**
   * What changed, under the contract's names, as `commands_changes` of a note shows it: `assignee_ids`, `reviewer_ids`,
   * `add_label_ids`, `remove_label_ids`, `label_ids`, `milestone_id`, `state_event`, `title`, `due_date`, `confidential`,
   * `discussion_locked`, `time_estimate`, `spend_time`, `weight`, `health_status`, `emoji_award`, `todo_event`,
   * `subscription_event`, `target_branch`, `merge`, `rebase`, `wip_event`, `canonical_issue_id`. Empty where the command
   * was understood but could not do what it says.
   */
  readonly changes?: Readonly<Record<string, unknown>>
  /** One sentence for whoever wrote it: `Assigned @a.`, or why it did not work. */
  readonly message: string
}

/** What the commands of one note did, all together. */
export interface CommandOutcome {
  readonly changes: Readonly<Record<string, unknown>>
  /** One sentence for each command that applied, in their order; empty when none did. */
  readonly summary: readonly string[]
}

/**
 * Runs commands one after the other and gathers what they did. `run` gives undefined for a command that does not apply:
 * to this kind of record, in its state, or for this actor; such commands are passed over in silence.
 */
export async function runEach(
  commands: readonly Command[],
  run: (command: Command) => CommandResult | undefined | Promise<CommandResult | undefined>,
): Promise<CommandOutcome> {
  const changes: Record<string, unknown> = {}
  const summary: string[] = []
  for (const command of commands) {
    const result = await run(command)
    if (!result) continue
    Object.assign(changes, result.changes)
    summary.push(result.message)
  }
  return { changes, summary }
}
