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
