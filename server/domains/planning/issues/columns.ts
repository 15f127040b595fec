import type { Ctx } from '../../../ctx.ts'
import { noteChange, noteDescriptionChange, noteLock, noteTitleChange } from '../issuables/text-changes.ts'
import type { IssueInput } from './input.ts'
import { asIssuable, type IssueRow } from './issue.ts'

type Columns = Pick<
  IssueRow,
  | 'title'
  | 'description'
  | 'issue_type'
  | 'due_date'
  | 'weight'
  | 'health_status'
  | 'confidential'
  | 'discussion_locked'
>

/** Returns the columns with new values. Without `mayPlan`, these are only the texts and the type. */
export function changedColumns(issue: IssueRow, input: IssueInput, mayPlan: boolean): Partial<Columns> {
  const texts: Partial<Record<keyof Columns, unknown>> = {
    title: input.title?.trim(),
    description: input.description,
    issue_type: input.issue_type,
  }
  const planning: Partial<Record<keyof Columns, unknown>> = {
    due_date: input.due_date,
    weight: input.weight,
    health_status: input.health_status,
    confidential: input.confidential ?? undefined,
    discussion_locked: input.discussion_locked,
  }
  const entries = Object.entries({ ...texts, ...(mayPlan ? planning : {}) })
  return Object.fromEntries(
    entries.filter(([name, value]) => value !== undefined && value !== issue[name as keyof Columns]),
  ) as Partial<Columns>
}

/** Writes system notes about the differences between two states of an issue. */
export function noteColumns(ctx: Ctx, before: IssueRow, after: IssueRow): void {
  const issuable = asIssuable(after)
  const note = (action: string, body: string): void => noteChange(ctx, issuable, action, body)
  noteTitleChange(ctx, issuable, before.title, after.title)
  if ((before.description ?? '') !== (after.description ?? ''))
    noteDescriptionChange(ctx, issuable, before.description, after.description)
  if (before.confidential !== after.confidential) {
    const isConfidential = after.confidential
    note(
      isConfidential ? 'confidential' : 'visible',
      isConfidential ? 'made the issue confidential' : 'made the issue visible to everyone',
    )
  }
  if (before.due_date !== after.due_date)
    note('due_date', after.due_date ? `changed due date to ${formatDay(after.due_date)}` : 'removed due date')
  if (before.weight !== after.weight)
    note('weight', after.weight === null ? 'removed the weight' : `changed weight to **${after.weight}**`)
  if (before.issue_type !== after.issue_type)
    note('issue_type', `changed type from ${humanized(before.issue_type)} to ${humanized(after.issue_type)}`)
  if (before.health_status !== after.health_status) note('health_status', healthSentence(after))
  if ((before.discussion_locked ?? 0) !== (after.discussion_locked ?? 0))
    noteLock(ctx, issuable, after.discussion_locked === true)
}

function healthSentence({ health_status }: IssueRow): string {
  return health_status === null
    ? 'removed the health status'
    : `changed health status to **${humanized(health_status)}**`
}

const humanized = (word: string): string => word.replaceAll('_', ' ')

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** Formats a day as `November 22, 2026`. */
export function formatDay(day: string): string {
  const [year, month, date] = day.split('-').map(Number)
  return `${MONTHS[month! - 1]} ${date}, ${year}`
}
