/** Where a query was found in a text: how well, and which stretches to mark. */
export type Match = { score: number; marks: readonly [start: number, end: number][] }

const BOUNDARY = /[\s/\-_.:]/

const startsWord = (text: string, index: number) => {
  const before = text[index - 1]
  if (before === undefined || BOUNDARY.test(before)) return true
  return before === before.toLowerCase() && text[index] !== text[index]?.toLowerCase()
}

/** A whole stretch is worth most at the start of the text, then of a word, then anywhere. */
const findWhole = (query: string, text: string): Match | null => {
  const lower = text.toLowerCase()
  let best: Match | null = null
  for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, at + 1)) {
    const score = (at === 0 ? 300 : startsWord(text, at) ? 200 : 100) + (query.length / text.length) * 50
    if (!best || score > best.score) best = { score, marks: [[at, at + query.length]] }
  }
  return best
}

/** Letters in order: `dfc` finds `Deskforge client`; each start of a word counts, each gap costs. */
const findScattered = (query: string, text: string): Match | null => {
  const lower = text.toLowerCase()
  const marks: [number, number][] = []
  let score = 0
  let from = 0
  for (const letter of query) {
    let at = lower.indexOf(letter, from)
    for (let later = at; later >= 0; later = lower.indexOf(letter, later + 1)) {
      if (startsWord(text, later)) {
        at = later
        break
      }
    }
    if (at < 0) return null
    const last = marks.at(-1)
    if (last && last[1] === at) last[1] = at + 1
    else marks.push([at, at + 1])
    score += (startsWord(text, at) ? 8 : 2) - Math.min(4, at - from) * 0.5
    from = at + 1
  }
  const initials = marks.filter(([start]) => startsWord(text, start)).length
  if (initials < marks.length - 1) return null
  return score > 0 ? { score, marks } : null
}

/** Finds every word of the query in the text; null when one is missing. An empty query finds everything equally. */
export const fuzzyMatch = (query: string, text: string): Match | null => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const marks: [number, number][] = []
  let score = 0
  for (const word of words) {
    const match = findWhole(word, text) ?? findScattered(word, text)
    if (!match) return null
    score += match.score
    marks.push(...match.marks.map(([start, end]): [number, number] => [start, end]))
  }
  return { score, marks: merge(marks) }
}

const merge = (marks: [number, number][]) => {
  const sorted = marks.toSorted((a, b) => a[0] - b[0])
  const merged: [number, number][] = []
  for (const mark of sorted) {
    const last = merged.at(-1)
    if (last && mark[0] <= last[1]) last[1] = Math.max(last[1], mark[1])
    else merged.push([...mark])
  }
  return merged
}

/** Cuts a text at its marks, for showing. */
export const markedParts = (text: string, marks: Match['marks']): { text: string; marked: boolean }[] => {
  const parts: { text: string; marked: boolean }[] = []
  let from = 0
  for (const [start, end] of marks) {
    if (start > from) parts.push({ text: text.slice(from, start), marked: false })
    parts.push({ text: text.slice(start, end), marked: true })
    from = end
  }
  if (from < text.length) parts.push({ text: text.slice(from), marked: false })
  return parts
}
