import type { Todo } from '../../api/schema.gen.ts'
import { firstLine } from '../../components/markdown/first-line.ts'
import { dateLocale } from '../../locales/locale.ts'
import { t } from '../../locales/t.ts'

/** The texts of a to-do item: its target, reason and link. */
export type TodoWords = {
  kind: 'review' | 'approval' | 'issue' | 'request' | 'comment' | 'failed' | 'conflict' | 'commit' | 'access'
  title: string
  /** The title is the text of a comment. */
  isQuote: boolean
  /** `heron !128`, or the path for an access request. */
  location: string
  said: string
  /** The action of the first button. */
  verb: string
  /** Address inside the window. */
  to: string
}

type Action = Todo['action_name']

/** The fields of a target that a line can show. */
type Target = { iid?: number; short_id?: string; due_date?: string | null }

const MARKS: Partial<Record<Todo['target_type'], string>> = { Issue: '#', MergeRequest: '!' }

const locationOf = (todo: Todo, target: Target): string => {
  const owner = todo.project?.path ?? todo.group?.full_path ?? ''
  const mark = MARKS[todo.target_type]
  if (mark && target.iid !== undefined) return `${owner} ${mark}${target.iid}`
  return target.short_id ? `${owner} ${target.short_id}` : owner
}

/** The reason of the item. `who` is the name of the user who caused it, null for the current user. */
const reasonOf = (action: Action, who: string | null): string => {
  const whom = who ?? t('todos.you')
  switch (action) {
    case 'assigned':
      return who ? t('todos.assigned_to_you_by_who', { who }) : t('todos.you_assigned_it_to_yourself')
    case 'review_requested':
      return who ? t('todos.who_asked_for_your_review', { who }) : t('todos.you_requested_your_own_review')
    case 'mentioned':
      return t('todos.whom_mentioned_you', { whom })
    case 'directly_addressed':
      return t('todos.whom_mentioned_you_directly', { whom })
    case 'build_failed':
      return t('todos.its_pipeline_failed')
    case 'marked':
      return t('todos.you_added_it')
    case 'approval_required':
      return t('todos.waiting_for_your_approval')
    case 'unmergeable':
      return t('todos.can_no_longer_be_merged')
    case 'merge_train_removed':
      return t('todos.was_removed_from_the_merge_train')
    case 'member_access_requested':
      return t('todos.waiting_for_your_answer')
  }
}

const KINDS: Partial<Record<Action, TodoWords['kind']>> = {
  review_requested: 'review',
  approval_required: 'approval',
  build_failed: 'failed',
  unmergeable: 'conflict',
  merge_train_removed: 'conflict',
  member_access_requested: 'access',
}

const kindOf = (todo: Todo): TodoWords['kind'] => {
  const byAction = KINDS[todo.action_name]
  if (byAction) return byAction
  if (todo.target_url.includes('#note_')) return 'comment'
  return todo.target_type === 'Issue' ? 'issue' : todo.target_type === 'Commit' ? 'commit' : 'request'
}

const insideOf = (address: string): string => {
  const url = new URL(address)
  return url.pathname + url.search + url.hash
}

const dueText = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(dateLocale, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })

/** The text of an item. `userId` is the owner of the list. */
export const todoWords = (todo: Todo, userId: number | undefined): TodoWords => {
  const target = (todo.target ?? {}) as Target
  const who = todo.author.id === userId ? null : todo.author.name
  const kind = kindOf(todo)
  const isQuote = kind === 'comment'
  const due =
    todo.action_name === 'assigned' && target.due_date
      ? ` ${t('todos.due_due_date', { due_date: dueText(target.due_date) })}`
      : ''
  return {
    kind,
    title:
      kind === 'access'
        ? t('todos.name_requests_access', { name: todo.author.name })
        : isQuote
          ? firstLine(todo.body)
          : todo.body,
    isQuote,
    location: kind === 'access' ? todo.body : locationOf(todo, target),
    said: reasonOf(todo.action_name, who) + due,
    verb:
      kind === 'review' || kind === 'approval'
        ? t('todos.review')
        : kind === 'access'
          ? t('todos.review_2')
          : t('todos.open'),
    to: insideOf(todo.target_url),
  }
}
