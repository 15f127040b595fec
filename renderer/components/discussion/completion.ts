import { t } from '../../locales/t.ts'
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
  { name: 'approve', help: t('common.approve'), on: 'merge_requests' },
  { name: 'unapprove', help: t('discussion.revoke_approval'), on: 'merge_requests' },
  { name: 'merge', help: t('discussion.merge_when_ready'), on: 'merge_requests' },
  { name: 'draft', help: t('discussion.mark_as_draft'), on: 'merge_requests' },
  { name: 'ready', help: t('discussion.mark_as_ready'), on: 'merge_requests' },
  { name: 'rebase', help: t('discussion.rebase_source_branch'), on: 'merge_requests' },
  { name: 'assign_reviewer', help: t('discussion.request_a_review'), on: 'merge_requests', takes: '@' },
  {
    name: 'unassign_reviewer',
    help: t('discussion.remove_review_request'),
    on: 'merge_requests',
    takes: '@',
  },
  {
    name: 'target_branch',
    help: t('discussion.change_target_branch'),
    on: 'merge_requests',
    takes: ' ',
  },
  { name: 'assign', help: t('discussion.assign_people'), on: 'both', takes: '@' },
  { name: 'unassign', help: t('discussion.unassign_people'), on: 'both', takes: '@' },
  { name: 'label', help: t('discussion.add_labels'), on: 'both', takes: '~' },
  { name: 'unlabel', help: t('discussion.remove_labels'), on: 'both', takes: '~' },
  { name: 'relabel', help: t('discussion.replace_all_labels'), on: 'both', takes: '~' },
  { name: 'milestone', help: t('discussion.set_milestone'), on: 'both', takes: '%' },
  { name: 'remove_milestone', help: t('discussion.remove_milestone'), on: 'both' },
  { name: 'title', help: t('discussion.edit_title'), on: 'both', takes: ' ' },
  { name: 'close', help: t('discussion.close'), on: 'both' },
  { name: 'reopen', help: t('common.reopen'), on: 'both' },
  { name: 'due', help: t('discussion.set_due_date'), on: 'issues', takes: ' ' },
  { name: 'confidential', help: t('discussion.make_confidential'), on: 'issues' },
  { name: 'estimate', help: t('discussion.set_time_estimate'), on: 'both', takes: ' ' },
  { name: 'spend', help: t('discussion.add_time_spent'), on: 'both', takes: ' ' },
  { name: 'lock', help: t('common.lock_discussion'), on: 'both' },
  { name: 'unlock', help: t('common.unlock_discussion'), on: 'both' },
  { name: 'subscribe', help: t('common.subscribe'), on: 'both' },
  { name: 'unsubscribe', help: t('common.unsubscribe'), on: 'both' },
  { name: 'todo', help: t('discussion.add_to_my_to_dos'), on: 'both' },
  { name: 'award', help: t('discussion.react_with_an_emoji'), on: 'both', takes: ':' },
]
