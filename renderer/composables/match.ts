/** Where a query was found in a text: how well, and which stretches to mark. */
export type Match = { score: number; marks: readonly [start: number, end: number][] }

const BOUNDARY = /[\s/\-_.:]/

const startsWord = (text: string, index: number) => {
  const before = text[index - 1]
  if (before === undefined || BOUNDARY.test(before)) return true
  return before === before.toLowerCase() && text[index] !== text[index]?.toLowerCase()
}

/** An exact match scores highest at the start of the text, then at the start of a word, then anywhere. */
const findWhole = (query: string, text: string): Match | null => {
  const lower = text.toLowerCase()
  let best: Match | null = null
  for (let at = lower.indexOf(query); at >= 0; at = lower.indexOf(query, at + 1)) {
    const score = (at === 0 ? 300 : startsWord(text, at) ? 200 : 100) + (query.length / text.length) * 50
    if (!best || score > best.score) best = { score, marks: [[at, at + query.length]] }
  }
  return best
}

/** The beginnings of words that follow each other: `np` finds `New project`, `walseg` finds `wal/segment.rs`. */
const findWordStarts = (query: string, text: string): Match | null => {
  if (query.length < 2) return null
  const lower = text.toLowerCase()
  const starts = Array.from(text, (_, index) => index).filter(
    (index) => startsWord(text, index) && !BOUNDARY.test(text[index] ?? ''),
  )
  /** Matches the rest of the query as prefixes of this word and the following ones. */
  const continueAt = (word: number, rest: string): [number, number][] | null => {
    const start = starts[word]
    if (start === undefined) return null
    const longest = Math.min(rest.length, (starts[word + 1] ?? text.length) - start)
    for (let length = longest; length > 0; length -= 1) {
      if (!lower.startsWith(rest.slice(0, length), start)) continue
      const mark: [number, number] = [start, start + length]
      const later = length === rest.length ? [] : continueAt(word + 1, rest.slice(length))
      if (later) return [mark, ...later]
    }
    return null
  }
  for (const word of starts.keys()) {
    const marks = continueAt(word, query)
    if (marks) return { score: word === 0 ? 90 : 60, marks }
  }
  return null
}

/** Finds every word of the query in the text; null when one is missing. An empty query finds everything equally. */
export const fuzzyMatch = (query: string, text: string): Match | null => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const marks: [number, number][] = []
  let score = 0
  for (const word of words) {
    const match = findWhole(word, text) ?? findWordStarts(word, text)
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
