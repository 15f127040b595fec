import type { Command } from './parse.ts'

/** The quick actions by name, each with its aliases. */
const ALIASES = {
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

/** The name of a quick action. Aliases are replaced by the name. */
export type CommandName = keyof typeof ALIASES

const NAMES = new Map<string, CommandName>(
  Object.entries(ALIASES).flatMap(([name, aliases]) =>
    [name, ...aliases].map((word) => [word, name as CommandName] as const),
  ),
)

/** Finds the quick action of a word, in any case. */
export function findCommand(word: string): CommandName | undefined {
  return NAMES.get(word.toLowerCase())
}

/** The quick actions that only append a text to their line. */
const ADDITIONS: Readonly<Record<string, string>> = {
  shrug: '¯\\＿(ツ)＿/¯',
  tableflip: '(╯°□°)╯︵ ┻━┻',
}

/** Returns the line that replaces a quick action of `ADDITIONS`. Undefined for other words. */
export function lineWithAddition(word: string, args: string): string | undefined {
  const addition = ADDITIONS[word.toLowerCase()]
  return addition === undefined ? undefined : args === '' ? addition : `${args} ${addition}`
}

/** The result of one quick action. */
export interface CommandResult {
  /**
   * The changes, under the contract's names, for `commands_changes` of a note: `assignee_ids`, `reviewer_ids`,
   * `add_label_ids`, `remove_label_ids`, `label_ids`, `milestone_id`, `state_event`, `title`, `due_date`, `confidential`,
   * `discussion_locked`, `time_estimate`, `spend_time`, `weight`, `health_status`, `emoji_award`, `todo_event`,
   * `subscription_event`, `target_branch`, `merge`, `rebase`, `wip_event`, `canonical_issue_id`. Empty when the quick action could not be executed.
   */
  readonly changes?: Readonly<Record<string, unknown>>
  /** A sentence for the author, such as `Assigned @a.`, or the reason why the quick action failed. */
  readonly message: string
}

/** The results of all quick actions of one note. */
export interface CommandOutcome {
  readonly changes: Readonly<Record<string, unknown>>
  /** A sentence for each quick action that applied, in their order. */
  readonly summary: readonly string[]
}

/**
 * Runs quick actions one after the other and collects their results. Skips those that do not apply to the record, its
 * state or the actor; `run` then returns undefined.
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
