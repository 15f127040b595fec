export type Step = { kind: ' ' | '-' | '+'; text: string }

const CONTEXT = 3
/** With more changed lines the middle is shown as replaced, because a line diff is too slow and not readable. */
const MAX_EDITS = 1200

/**
 * Two texts as the hunks of a unified diff, the way the API writes them: without file head, three lines of context,
 * empty when they are equal.
 */
export const unifiedDiff = (before: string, after: string): string => hunksOf(stepsOf(before, after))

const NO_END = '\\ No newline at end of file'

const linesOf = (text: string): string[] => {
  if (text === '') return []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  // A last line without its end differs from the same line with it.
  else lines[lines.length - 1] += `\n${NO_END}`
  return lines
}

const stepsOf = (before: string, after: string): Step[] => {
  const a = linesOf(before)
  const b = linesOf(after)
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const same = (text: string): Step => ({ kind: ' ', text })
  const middle = walk(a.slice(head, a.length - tail), b.slice(head, b.length - tail))
  return [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)]
}

/** The shortest way from one list of lines to the other (Myers), or all of the one and all of the other. */
export const walk = (a: string[], b: string[]): Step[] => {
  const traces: Int32Array[] = []
  const most = Math.min(a.length + b.length, MAX_EDITS)
  const middle = most + 1
  const reach = new Int32Array(2 * most + 3)
  for (let edits = 0; edits <= most; edits++) {
    traces.push(reach.slice())
    for (let k = -edits; k <= edits; k += 2) {
      let x = startOf(reach, middle, k, edits)
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      reach[middle + k] = x
      if (x >= a.length && x - k >= b.length) return back(a, b, traces, middle)
    }
  }
  return [...a.map((text): Step => ({ kind: '-', text })), ...b.map((text): Step => ({ kind: '+', text }))]
}

/** Where diagonal `k` begins: one down from its upper neighbour or one right from its lower one. */
const startOf = (reach: Int32Array, middle: number, k: number, edits: number): number => {
  const above = reach[middle + k + 1] ?? 0
  const left = reach[middle + k - 1] ?? 0
  return k === -edits || (k !== edits && left < above) ? above : left + 1
}

const back = (a: string[], b: string[], traces: Int32Array[], middle: number): Step[] => {
  const steps: Step[] = []
  let x = a.length
  let y = b.length
  for (let edits = traces.length - 1; edits >= 0; edits--) {
    const reach = traces[edits]!
    const k = x - y
    const above = reach[middle + k + 1] ?? 0
    const left = reach[middle + k - 1] ?? 0
    const isDown = k === -edits || (k !== edits && left < above)
    const fromX = edits === 0 ? 0 : isDown ? above : left
    const fromY = edits === 0 ? 0 : fromX - (isDown ? k + 1 : k - 1)
    while (x > fromX && y > fromY) {
      x--
      y--
      steps.push({ kind: ' ', text: a[x]! })
    }
    if (edits === 0) break
    if (isDown) steps.push({ kind: '+', text: b[--y]! })
    else steps.push({ kind: '-', text: a[--x]! })
  }
  return steps.reverse()
}

const hunksOf = (steps: Step[]): string => {
  const near = steps.map((_, index) =>
    steps.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((step) => step.kind !== ' '),
  )
  const out: string[] = []
  let oldLine = 1
  let newLine = 1
  let hunk: { at: number; old: [number, number]; new: [number, number] } | null = null
  const close = () => {
    if (hunk) out[hunk.at] = `@@ -${hunk.old.join(',')} +${hunk.new.join(',')} @@`
    hunk = null
  }
  steps.forEach((step, index) => {
    if (!near[index]) close()
    else {
      hunk ??= { at: out.push('') - 1, old: [oldLine, 0], new: [newLine, 0] }
      if (step.kind !== '+') hunk.old[1] += 1
      if (step.kind !== '-') hunk.new[1] += 1
      out.push(`${step.kind}${step.text}`)
    }
    if (step.kind !== '+') oldLine += 1
    if (step.kind !== '-') newLine += 1
  })
  close()
  return out.length > 0 ? `${out.join('\n')}\n` : ''
}
