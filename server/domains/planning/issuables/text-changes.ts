import type { Ctx } from '../../../ctx.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import { noteableOf, type Issuable } from './issuable.ts'
import { toggledTasks } from './tasks.ts'

/**
 * Writes a line about a change into the conversation. `action` is the one word for it; an internal line is for people of
 * the project only.
 */
export function noteChange(
  ctx: Ctx,
  issuable: Issuable,
  action: string,
  body: string,
  { internal = false } = {},
): void {
  writeSystemNote(ctx, noteableOf(issuable), { action, body, internal })
}

/** Notes a new title, with the part that is another one marked as removed and added. */
export function noteTitleChange(ctx: Ctx, issuable: Issuable, before: string, after: string): void {
  if (before === after) return
  const [from, to] = marked(before, after)
  noteChange(ctx, issuable, 'title', `changed title from **${from}** to **${to}**`)
}

/** At most so many ticked items get a line each. */
const MAX_TASKS = 20

/** Notes that the description is another one, or only which items of its task lists were ticked. */
export function noteDescriptionChange(
  ctx: Ctx,
  issuable: Issuable,
  before: string | null = null,
  after: string | null = null,
): void {
  const toggled = before && after ? toggledTasks(before, after) : undefined
  if (!toggled || toggled.length === 0 || toggled.length > MAX_TASKS)
    return noteChange(ctx, issuable, 'description', 'changed the description')
  for (const { text, done } of toggled) {
    const body = `marked the checklist item **${text}** as ${done ? 'completed' : 'incomplete'}`
    noteChange(ctx, issuable, 'task', body)
  }
}

/** Notes that the conversation was locked for those who do not belong to the project, or opened for them again. */
export function noteLock(ctx: Ctx, issuable: Issuable, isLocked: boolean): void {
  const [action, words] = isLocked ? ['locked', 'locked'] : ['unlocked', 'unlocked']
  const noun = issuable.kind === 'Issue' ? 'issue' : 'merge request'
  noteChange(ctx, issuable, action!, `${words} the discussion in this ${noun}`)
}

/** Both texts with what differs between them marked; whole characters only. */
function marked(before: string, after: string): [string, string] {
  const [a, b] = [[...before], [...after]]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const show = (text: readonly string[], sign: string): string => {
    const middle = text.slice(start, text.length - end).join('')
    const inside = middle === '' ? '' : `{${sign}${middle}${sign}}`
    return text.slice(0, start).join('') + inside + text.slice(text.length - end).join('')
  }
  return [show(a, '-'), show(b, '+')]
}
