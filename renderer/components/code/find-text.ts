/** A match: its line (0-based) and columns in UTF-16 units. */
export type Found = { line: number; from: number; to: number }

const MOST = 5000

/** All occurrences of a text in some lines. Case-sensitive only if the query has uppercase letters. */
export const findText = (lines: readonly string[], wanted: string): Found[] => {
  if (wanted === '') return []
  const isExact = wanted !== wanted.toLowerCase()
  const needle = isExact ? wanted : wanted.toLowerCase()
  const found: Found[] = []
  for (const [line, text] of lines.entries()) {
    const hay = isExact ? text : text.toLowerCase()
    for (let at = hay.indexOf(needle); at >= 0; at = hay.indexOf(needle, at + needle.length)) {
      found.push({ line, from: at, to: at + needle.length })
      if (found.length >= MOST) return found
    }
  }
  return found
}

/** The match to start with: the first at or below a line, else the first one. */
export const firstFrom = (found: readonly Found[], line: number): number => {
  const at = found.findIndex((one) => one.line >= line)
  return at < 0 ? 0 : at
}
