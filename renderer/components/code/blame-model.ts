/** A commit as the blame of a file names it. */
export type BlameCommit = {
  id: string
  parent_ids: string[]
  message: string
  author_name: string
  author_email: string
  authored_date: string
  committed_date: string
}

/** Consecutive lines that one commit wrote last. */
export type BlameGroup = { commit: BlameCommit; lines: string[] }

export type BlameLine = {
  number: number
  text: string
  commit: BlameCommit
  /** The index of the line in its group; the first one carries the commit. */
  at: number
  /** How many lines the group has. */
  of: number
  /** From 0, the oldest change of the file, to 1, the newest. */
  age: number
}

/** Groups as lines, numbered; neighbours of the same commit become one group. */
export const blameLines = (groups: readonly BlameGroup[]): BlameLine[] => {
  const joined: BlameGroup[] = []
  for (const group of groups) {
    const last = joined.at(-1)
    if (last?.commit.id === group.commit.id) last.lines.push(...group.lines)
    else joined.push({ commit: group.commit, lines: [...group.lines] })
  }
  const age = ageScale(joined.map((group) => group.commit.authored_date))
  let number = 0
  return joined.flatMap(({ commit, lines }) =>
    lines.map((text, at) => ({
      number: ++number,
      text,
      commit,
      at,
      of: lines.length,
      age: age(commit.authored_date),
    })),
  )
}

/** Scales times between the oldest (0) and the newest (1). A single time counts as new. */
const ageScale = (dates: readonly string[]) => {
  const times = dates.map((date) => Date.parse(date))
  const oldest = Math.min(...times)
  const span = Math.max(...times) - oldest
  return (date: string): number => (span > 0 ? (Date.parse(date) - oldest) / span : 1)
}
