import { fuzzyMatch, type Match } from '../../composables/match.ts'

export type FoundFile = { path: string; marks: Match['marks'] }

// Matches in the file name rank higher than matches in its folders.
const NAME_BONUS = 500

const matchPath = (path: string, query: string): Match | null => {
  const start = path.lastIndexOf('/') + 1
  const inName = fuzzyMatch(query, path.slice(start))
  if (!inName) return fuzzyMatch(query, path)
  return {
    score: inName.score + NAME_BONUS,
    marks: inName.marks.map(([from, to]): [number, number] => [from + start, to + start]),
  }
}

/** Files with matching paths, best matches first; shorter paths win ties. */
export const findFiles = (paths: readonly string[], query: string, limit = 100): FoundFile[] => {
  const wanted = query.trim()
  if (!wanted) return []
  return paths
    .flatMap((path) => {
      const match = matchPath(path, wanted)
      return match ? [{ path, marks: match.marks, score: match.score }] : []
    })
    .sort((a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
    .map(({ path, marks }) => ({ path, marks }))
}
