import type { Ctx } from '../../../ctx.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import { noteableOf, type Issuable } from './issuable.ts'

/** The number of task list items in a description, and of the completed ones (spec core 5.1). */
export interface TaskCompletion {
  readonly count: number
  readonly completed_count: number
}

const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]+\S/
const FENCE = /^[ \t>]*(`{3,}|~{3,})/

/** Counts the task list items in a text, without those in code blocks. */
export function taskCompletion(description: string | null): TaskCompletion {
  let [count, completed_count] = [0, 0]
  if (!description?.includes('[')) return { count, completed_count }
  let fence: string | undefined
  for (const line of description.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
      fence = fence === undefined ? mark : undefined
    const box = fence === undefined ? ITEM.exec(line) : null
    if (!box) continue
    count++
    if (box[1] !== ' ') completed_count++
  }
  return { count, completed_count }
}

/** Returns a sentence such as `2 of 5 checklist items completed`. */
export function taskStatus({ count, completed_count }: TaskCompletion): string {
  return `${completed_count} of ${count} checklist item${count === 1 ? '' : 's'} completed`
}

const BOX = /^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[)[ xX](\][ \t]+)(\S.*)$/

/** Returns the task list items that were checked or unchecked. Undefined if the text changed in another way. */
export function toggledTasks(before: string, after: string): { text: string; done: boolean }[] | undefined {
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
  if (oldLines.length !== newLines.length) return undefined
  const toggled: { text: string; done: boolean }[] = []
  for (const [index, line] of newLines.entries()) {
    if (line === oldLines[index]) continue
    const [, head, tail, text] = BOX.exec(line) ?? []
    const [, oldHead, oldTail, oldText] = BOX.exec(oldLines[index]!) ?? []
    if (text === undefined || head !== oldHead || tail !== oldTail || text !== oldText) return undefined
    toggled.push({ text: text.trim(), done: line[head!.length] !== ' ' })
  }
  return toggled
}

/**
 * Writes a system note about a change. `action` is the kind of change in one word. Internal notes are visible only to
 * project members.
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

/** Writes a system note about a new title, with the changed part marked as removed and added. */
export function noteTitleChange(ctx: Ctx, issuable: Issuable, before: string, after: string): void {
  if (before === after) return
  const [from, to] = markDifference(before, after)
  noteChange(ctx, issuable, 'title', `changed title from **${from}** to **${to}**`)
}

/** The maximum number of changed items that get a system note each. More items get one note together. */
const MAX_TASKS = 20

/** Writes a system note about a new description, or one for each task list item that was checked or unchecked. */
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

/**
 * Writes a system note that the discussion was locked or unlocked. Only project members may comment on a locked
 * discussion.
 */
export function noteLock(ctx: Ctx, issuable: Issuable, isLocked: boolean): void {
  const [action, words] = isLocked ? ['locked', 'locked'] : ['unlocked', 'unlocked']
  const noun = issuable.kind === 'Issue' ? 'issue' : 'merge request'
  noteChange(ctx, issuable, action!, `${words} the discussion in this ${noun}`)
}

/** Returns both texts with the part between their common start and end marked, as `{-removed-}` and `{+added+}`. */
function markDifference(before: string, after: string): [string, string] {
  const [a, b] = [[...before], [...after]]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const mark = (text: readonly string[], sign: string): string => {
    const middle = text.slice(start, text.length - end).join('')
    const marked = middle === '' ? '' : `{${sign}${middle}${sign}}`
    return text.slice(0, start).join('') + marked + text.slice(text.length - end).join('')
  }
  return [mark(a, '-'), mark(b, '+')]
}
