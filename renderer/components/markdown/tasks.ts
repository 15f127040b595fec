const FENCE = /^ {0,3}(?:> ?)*\s*(`{3,}|~{3,})/
const TASK = /^(\s*(?:>\s?)*\s*(?:[-*+]|\d{1,9}[.)])\s+(?:(?:[-*+]|\d{1,9}[.)])\s+)*\[)([ xX])(\]\s)/

/** Positions of the checkboxes in the task lists of a text: of the character between the brackets. */
const boxesOf = (text: string): number[] => {
  const found: number[] = []
  let fence = ''
  let at = 0
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? ''
    if (fence) fence = mark[0] === fence[0] && mark.length >= fence.length ? '' : fence
    else if (mark) fence = mark
    else {
      const task = TASK.exec(`${line}\n`)
      if (task) found.push(at + (task[1]?.length ?? 0))
    }
    at += line.length + 1
  }
  return found
}

/** How many boxes its task lists have. */
export const countTasks = (text: string): number => boxesOf(text).length

/** The text with one box of its task lists checked or cleared. */
export const withTask = (text: string, index: number, checked: boolean): string => {
  const at = boxesOf(text)[index]
  return at === undefined ? text : `${text.slice(0, at)}${checked ? 'x' : ' '}${text.slice(at + 1)}`
}
