/**
 * Path patterns like those of `fnmatch` with FNM_PATHNAME: `*` and `?` stay inside a folder, `**` as a whole segment
 * matches any number of folders, `[…]` is a set, and a backslash escapes. Matching takes at most pattern times path
 * steps; a regular expression with many `*` would backtrack exponentially.
 */
export interface PathPattern {
  readonly segments: readonly string[]
}

/** True when the pattern covers a file. */
export function matches({ segments }: PathPattern, path: string): boolean {
  const names = path.split('/')
  // The last segment excludes most patterns at once.
  const last = segments.at(-1)
  if (last === undefined || !matchesSegment(last, names.at(-1)!)) return false
  return matchesAll(segments, names)
}

/** Matches segment by segment. After a mismatch, the last `**` takes one more folder. */
function matchesAll(segments: readonly string[], names: readonly string[]): boolean {
  let at = 0
  let name = 0
  let star = -1
  let from = 0
  while (name < names.length) {
    const segment = segments[at]
    // At the end of a pattern `**` means `*`, as in fnmatch.
    if (segment === '**' && at < segments.length - 1) {
      star = at++
      from = name
    } else if (segment !== undefined && matchesSegment(segment, names[name]!)) {
      at++
      name++
    } else if (star >= 0) {
      at = star + 1
      name = ++from
    } else return false
  }
  return at === segments.length
}

/** Matches one segment with one name. After a mismatch, the last `*` takes one more character. */
function matchesSegment(segment: string, name: string): boolean {
  let at = 0
  let char = 0
  let star = -1
  let from = 0
  while (char < name.length) {
    const step = segment[at] === '*' ? undefined : stepAt(segment, at)
    if (segment[at] === '*') {
      star = at++
      from = char
    } else if (step?.accepts(name[char]!)) {
      at = step.next
      char++
    } else if (star >= 0) {
      at = star + 1
      char = ++from
    } else return false
  }
  while (segment[at] === '*') at++
  return at === segment.length
}

interface Step {
  readonly next: number
  accepts(char: string): boolean
}

function stepAt(segment: string, at: number): Step | undefined {
  const char = segment[at]
  if (char === undefined) return undefined
  if (char === '?') return { next: at + 1, accepts: () => true }
  if (char === '[') return setAt(segment, at) ?? { next: at + 1, accepts: (other) => other === '[' }
  if (char === '\\' && at + 1 < segment.length) {
    return { next: at + 2, accepts: (other) => other === segment[at + 1] }
  }
  return { next: at + 1, accepts: (other) => other === char }
}

/** `[a-z]`, `[!a]` or `[^a]`; undefined for a bracket that is never closed. */
function setAt(segment: string, at: number): Step | undefined {
  const end = segment.indexOf(']', at + 2)
  if (end < 0) return undefined
  const isNegated = segment[at + 1] === '!' || segment[at + 1] === '^'
  const body = segment.slice(at + (isNegated ? 2 : 1), end)
  const takes = (char: string): boolean => {
    for (let index = 0; index < body.length; index++) {
      if (body[index + 1] === '-' && index + 2 < body.length) {
        if (char >= body[index]! && char <= body[index + 2]!) return true
        index += 2
      } else if (body[index] === char) return true
    }
    return false
  }
  return { next: end + 1, accepts: (char) => takes(char) !== isNegated }
}
