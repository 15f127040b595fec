/** Start and end (exclusive) in UTF-16 units. */
export type TextRange = readonly [start: number, end: number]

export interface WordChanges {
  old: TextRange[]
  new: TextRange[]
}

const MAX_CHARS = 1000
const MAX_TOKENS = 240
const MIN_COMMON = 0.2

/**
 * The words that differ between two versions of a line. Null when the lines are equal, too long to
 * compare, or have so little in common that marking words would only be noise.
 */
export function wordDiff(before: string, after: string): WordChanges | null {
  if (before === after || before.length > MAX_CHARS || after.length > MAX_CHARS) return null
  const a = tokens(before)
  const b = tokens(after)
  const head = commonPrefix(a, b)
  const tail = commonSuffix(a, b, head)
  const midA = a.slice(head, a.length - tail)
  const midB = b.slice(head, b.length - tail)
  const kept = midA.length * midB.length > MAX_TOKENS * MAX_TOKENS ? NOTHING : longestCommon(midA, midB)
  const keptA = keepEnds(a, head, tail, kept.a)
  const keptB = keepEnds(b, head, tail, kept.b)
  if (shareKept(a, keptA, before, after) < MIN_COMMON) return null
  return { old: rangesOf(a, keptA), new: rangesOf(b, keptB) }
}

const NOTHING = { a: new Set<number>(), b: new Set<number>() }

function tokens(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []
}

function commonPrefix(a: string[], b: string[]): number {
  let n = 0
  while (n < a.length && n < b.length && a[n] === b[n]) n++
  return n
}

function commonSuffix(a: string[], b: string[], head: number): number {
  let n = 0
  while (n < a.length - head && n < b.length - head && a[a.length - 1 - n] === b[b.length - 1 - n]) n++
  return n
}

/** Indexes of a longest common subsequence, by the plain quadratic table; callers bound the sizes. */
function longestCommon(a: string[], b: string[]): { a: Set<number>; b: Set<number> } {
  const width = b.length + 1
  const table = new Uint16Array((a.length + 1) * width)
  const at = (i: number, j: number): number => table[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const out = { a: new Set<number>(), b: new Set<number>() }
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      out.a.add(i++)
      out.b.add(j++)
    } else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return out
}

function keepEnds(all: string[], head: number, tail: number, middle: Set<number>): boolean[] {
  return all.map((_, i) => i < head || i >= all.length - tail || middle.has(i - head))
}

function shareKept(a: string[], kept: boolean[], before: string, after: string): number {
  const solid = (text: string): number => text.replace(/\s+/g, '').length
  const common = a.reduce((sum, token, i) => (kept[i] ? sum + solid(token) : sum), 0)
  return common / Math.max(1, solid(before), solid(after))
}

/** Adjacent changes become one range, also across a single unchanged space between two changed words. */
function rangesOf(all: string[], kept: boolean[]): TextRange[] {
  const out: [number, number][] = []
  let offset = 0
  all.forEach((token, i) => {
    const end = offset + token.length
    const bridges = kept[i] && /^\s+$/.test(token) && kept[i - 1] === false && kept[i + 1] === false
    if (!kept[i] || bridges) {
      const last = out.at(-1)
      if (last && last[1] === offset) last[1] = end
      else out.push([offset, end])
    }
    offset = end
  })
  return out
}
