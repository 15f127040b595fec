/** Boxes in a description, and how many of them are ticked (spec core 5.1). */
export interface TaskCompletion {
  readonly count: number
  readonly completed_count: number
}

const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]+\S/
const FENCE = /^[ \t>]*(`{3,}|~{3,})/

/** Counts the items of task lists in a text; those in blocks of code are none. */
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

/** `2 of 5 checklist items completed`. */
export function taskStatus({ count, completed_count }: TaskCompletion): string {
  return `${completed_count} of ${count} checklist item${count === 1 ? '' : 's'} completed`
}

const BOX = /^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[)[ xX](\][ \t]+)(\S.*)$/

/** The items that were ticked or not any more, where nothing else of a text changed; undefined otherwise. */
export function toggledTasks(before: string, after: string): { text: string; done: boolean }[] | undefined {
  const [old, fresh] = [before.split('\n'), after.split('\n')]
  if (old.length !== fresh.length) return undefined
  const toggled: { text: string; done: boolean }[] = []
  for (const [index, line] of fresh.entries()) {
    if (line === old[index]) continue
    const [, head, tail, text] = BOX.exec(line) ?? []
    const [, oldHead, oldTail, oldText] = BOX.exec(old[index]!) ?? []
    if (text === undefined || head !== oldHead || tail !== oldTail || text !== oldText) return undefined
    toggled.push({ text: text.trim(), done: line[head!.length] !== ' ' })
  }
  return toggled
}
