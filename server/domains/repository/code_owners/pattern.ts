import type { PathPattern } from '../../../lib/text/path-pattern.ts'

export { matches } from '../../../lib/text/path-pattern.ts'

/** A pattern of owned files. */
export type Pattern = PathPattern

/** Parses a pattern. Without a leading slash it matches in every folder; with a trailing slash it matches a folder. */
export function readPattern(text: string): Pattern {
  if (text === '*') return { segments: ['**', '*'] }
  const plain = text.replace(/^\\#/, '#').replace(/\\\s+/g, ' ')
  const anchored = plain.startsWith('/') ? plain.slice(1) : `**/${plain}`
  const full = anchored.endsWith('/') ? `${anchored}**/*` : anchored
  return { segments: full.split('/').filter((segment) => segment !== '') }
}
