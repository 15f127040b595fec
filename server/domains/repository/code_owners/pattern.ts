import type { PathPattern } from '../../../lib/text/path-pattern.ts'

export { matches } from '../../../lib/text/path-pattern.ts'

/** Pattern of owned files. */
export type Pattern = PathPattern

/** Reads a pattern as people write it: without a slash in front it holds in every folder, with one behind for a folder. */
export function readPattern(text: string): Pattern {
  if (text === '*') return { segments: ['**', '*'] }
  const plain = text.replace(/^\\#/, '#').replace(/\\\s+/g, ' ')
  const anchored = plain.startsWith('/') ? plain.slice(1) : `**/${plain}`
  const full = anchored.endsWith('/') ? `${anchored}**/*` : anchored
  return { segments: full.split('/').filter((segment) => segment !== '') }
}
