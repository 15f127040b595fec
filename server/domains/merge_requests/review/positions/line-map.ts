const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/** Where the lines of a file are in another version of it. Undefined for lines that the other one does not have. */
export interface LineMap {
  toNew(line: number): number | undefined
  toOld(line: number): number | undefined
}

/** The map of a file that did not change. */
export const UNCHANGED: LineMap = { toNew: (line) => line, toOld: (line) => line }

/** From these lines on, both sides run in step until the next one. */
interface Step {
  readonly old: number
  readonly fresh: number
}

/** The last step that begins at or before a line of one side; steps only go forward on both. */
function lastAt(steps: readonly Step[], side: keyof Step, line: number): Step {
  let [low, high] = [0, steps.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (steps[middle]![side] <= line) low = middle
    else high = middle - 1
  }
  return steps[low]!
}

/** Reads where lines went out of the hunks of a diff, with any number of unchanged lines around the changes. */
export function lineMap(diff: string): LineMap {
  const steps: Step[] = [{ old: 1, fresh: 1 }]
  const removed = new Set<number>()
  const added = new Set<number>()
  let [old, fresh] = [1, 1]
  for (const text of diff.split('\n')) {
    const hunk = HUNK.exec(text)
    if (hunk) {
      // A side without lines is named by the line before it.
      old = Number(hunk[1]) + (hunk[2] === '0' ? 1 : 0)
      fresh = Number(hunk[3]) + (hunk[4] === '0' ? 1 : 0)
    } else if (text.startsWith('-')) {
      removed.add(old++)
      steps.push({ old, fresh })
    } else if (text.startsWith('+')) {
      added.add(fresh++)
      steps.push({ old, fresh })
    } else if (text.startsWith(' ')) {
      old++
      fresh++
    }
  }
  return {
    toNew(line) {
      if (removed.has(line)) return undefined
      const step = lastAt(steps, 'old', line)
      return line + step.fresh - step.old
    },
    toOld(line) {
      if (added.has(line)) return undefined
      const step = lastAt(steps, 'fresh', line)
      return line + step.old - step.fresh
    },
  }
}
