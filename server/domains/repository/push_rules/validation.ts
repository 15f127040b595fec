import { RE2JS } from 're2js'

import { linearPattern, searchable, searchablePieces } from '../../../lib/text/linear-pattern.ts'
import { TimeSlices } from '../../../lib/time-slices.ts'
import type { PatternName } from './types.ts'

/** In messages, `^` and `$` match at line ends (spec administration 11.2). */
const FLAGS: Readonly<Partial<Record<PatternName, number>>> = {
  commit_message_regex: RE2JS.MULTILINE,
  commit_message_negative_regex: RE2JS.MULTILINE,
}

/**
 * Returns the engine's message about an invalid pattern. Undefined for a valid or empty one; an empty one disables its
 * rule.
 */
export function patternProblem(name: PatternName, source: string): string | undefined {
  if (source === '') return undefined
  try {
    linearPattern(source, FLAGS[name])
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Returns a function that checks whether a text contains a match; undefined for a disabled rule. It reads only the start
 * of very long texts, so that it takes at most some hundredths of a second. Throws an Error for an invalid pattern.
 */
export function finder(name: PatternName, source: string | null): ((text: string) => boolean) | undefined {
  if (!source) return undefined
  const pattern = linearPattern(source, FLAGS[name])
  return (text) => pattern.test(searchable(pattern, text))
}

/**
 * Returns a function that checks whether a text contains a forbidden match; undefined for a disabled rule. It reads the
 * whole text, in pieces if it is long, so that a match near its end is found too. A text that is too long even for
 * that counts as a match.
 */
export function forbids(
  name: PatternName,
  source: string | null,
): ((text: string) => boolean | Promise<boolean>) | undefined {
  if (!source) return undefined
  const pattern = linearPattern(source, FLAGS[name])
  return (text) => {
    const pieces = searchablePieces(pattern, text)
    if (!pieces) return true
    return pieces.length === 1 ? pattern.test(text) : matchesAny(pattern, pieces)
  }
}

async function matchesAny(pattern: RE2JS, pieces: readonly string[]): Promise<boolean> {
  const slices = new TimeSlices()
  for (const piece of pieces) {
    if (pattern.test(piece)) return true
    if (slices.isOver()) await slices.next()
  }
  return false
}

/** Patterns for the names of files that contain secrets (spec administration 11.2). Error messages show them. */
export const SECRET_FILES: readonly string[] = [
  'aws\\/credentials$',
  '(ssh|config)\\/(personal|server)_(rsa|dsa|ed25519|ecdsa|ecdsa_sk|ed25519_sk)',
  'id_rsa$',
  'id_dsa$',
  'id_ed25519$',
  'id_ecdsa$',
  'id_ecdsa_sk$',
  'id_ed25519_sk$',
  '\\.(pem|key)$',
  '[._]history$',
]
const SECRET_PATTERNS = SECRET_FILES.map((source) => ({ source, pattern: new RegExp(source) }))

/** Returns the first pattern of secrets that a path matches. */
export function secretPattern(path: string): string | undefined {
  return SECRET_PATTERNS.find(({ pattern }) => pattern.test(path))?.source
}
