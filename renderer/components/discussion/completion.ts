/** The kind of completion: users, issues, merge requests, labels, milestones, emoji, quick actions. */
export type Sign = '@' | '#' | '!' | '~' | '%' | ':' | '/'

/** The word at the caret that can be completed, and its start position. */
export interface Wanted {
  sign: Sign
  text: string
  from: number
}

/** One completion. */
export interface Offer {
  /** The inserted text, including its sign. */
  insert: string
  label: string
  note?: string
  person?: boolean
  picture?: string | null
  colour?: string
}

const WORD = /(^|[\s(])([@#!~%:])([^\s@#!~%:]{0,40})$/
const ACTION = /(^|\n)\/([a-z_]{0,30})$/

/** What can be completed at the caret, if anything: a sign at the start of a word, or an action at the start of a line. */
export const wantedAt = (text: string, caret: number): Wanted | null => {
  const before = text.slice(0, caret)
  const action = ACTION.exec(before)
  if (action) return { sign: '/', text: action[2] ?? '', from: caret - (action[2]?.length ?? 0) - 1 }
  const word = WORD.exec(before)
  if (!word) return null
  const [, , sign, typed = ''] = word
  // A single colon is usually punctuation.
  if (sign === ':' && typed.length < 2) return null
  return { sign: sign as Sign, text: typed, from: caret - typed.length - 1 }
}

/** The text with the replaced word at the caret, and the new caret position. */
export const complete = (
  text: string,
  caret: number,
  wanted: Wanted,
  insert: string,
): { text: string; caret: number } => {
  const rest = text.slice(caret)
  const put = `${insert}${rest.startsWith(' ') ? '' : ' '}`
  return { text: text.slice(0, wanted.from) + put + rest, caret: wanted.from + put.length }
}

/** The reference to a label or milestone: in quotes if it has several words. */
export const quoted = (sign: '~' | '%', title: string): string =>
  /^[\p{L}\p{N}_-]+$/u.test(title) ? sign + title : `${sign}"${title}"`

type Action = { name: string; help: string; on: 'both' | 'merge_requests' | 'issues'; takes?: string }

/** Quick actions, each on a separate line of a comment. */
export const ACTIONS: readonly Action[] = [
  { name: 'approve', help: 'Approve', on: 'merge_requests' },
  { name: 'unapprove', help: 'Take the approval back', on: 'merge_requests' },
  { name: 'merge', help: 'Merge when it is ready', on: 'merge_requests' },
  { name: 'draft', help: 'Mark as a draft', on: 'merge_requests' },
  { name: 'ready', help: 'Mark as ready', on: 'merge_requests' },
  { name: 'rebase', help: 'Rebase the source branch', on: 'merge_requests' },
  { name: 'assign_reviewer', help: 'Ask for a review', on: 'merge_requests', takes: '@' },
  { name: 'unassign_reviewer', help: 'Take back the request for a review', on: 'merge_requests', takes: '@' },
  { name: 'target_branch', help: 'Merge into another branch', on: 'merge_requests', takes: ' ' },
  { name: 'assign', help: 'Assign people', on: 'both', takes: '@' },
  { name: 'unassign', help: 'Take people out', on: 'both', takes: '@' },
  { name: 'label', help: 'Add labels', on: 'both', takes: '~' },
  { name: 'unlabel', help: 'Take labels away', on: 'both', takes: '~' },
  { name: 'relabel', help: 'Replace all labels', on: 'both', takes: '~' },
  { name: 'milestone', help: 'Set the milestone', on: 'both', takes: '%' },
  { name: 'remove_milestone', help: 'Remove the milestone', on: 'both' },
  { name: 'title', help: 'Change the title', on: 'both', takes: ' ' },
  { name: 'close', help: 'Close', on: 'both' },
  { name: 'reopen', help: 'Reopen', on: 'both' },
  { name: 'due', help: 'Set the due date', on: 'issues', takes: ' ' },
  { name: 'confidential', help: 'Show it to members only', on: 'issues' },
  { name: 'estimate', help: 'Set how long it will take', on: 'both', takes: ' ' },
  { name: 'spend', help: 'Add time that was spent', on: 'both', takes: ' ' },
  { name: 'lock', help: 'Lock the discussion', on: 'both' },
  { name: 'unlock', help: 'Unlock the discussion', on: 'both' },
  { name: 'subscribe', help: 'Subscribe', on: 'both' },
  { name: 'unsubscribe', help: 'Unsubscribe', on: 'both' },
  { name: 'todo', help: 'Add to my to-dos', on: 'both' },
  { name: 'award', help: 'React with an emoji', on: 'both', takes: ':' },
]
