import { RE2JS } from 're2js'

import { linearPattern, searchable, searchablePieces } from '../../lib/linear-pattern.ts'
import { TimeSlices } from '../../lib/time-slices.ts'
import type { PatternName } from './types.ts'

/** In messages `^` and `$` stand for the ends of lines (spec administration 11.2). */
const FLAGS: Readonly<Partial<Record<PatternName, number>>> = {
  commit_message_regex: RE2JS.MULTILINE,
  commit_message_negative_regex: RE2JS.MULTILINE,
}

/** Why a pattern cannot be used, in the words of the engine; undefined where it can. An empty one switches its rule off. */
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
 * The question whether a pattern is found anywhere in a text; undefined for a rule that is off. Of very long texts only as
 * much is looked at as can be in some hundredths of a second. Throws an Error that says what is wrong with the pattern.
 */
export function finder(name: PatternName, source: string | null): ((text: string) => boolean) | undefined {
  if (!source) return undefined
  const pattern = linearPattern(source, FLAGS[name])
  return (text) => pattern.test(searchable(pattern, text))
}

/**
 * The same for what is forbidden: all of a text is looked at, piece by piece where it is long, so that nothing hides
 * behind its start. A text too long even for that counts as one that holds what is forbidden.
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
    return pieces.length === 1 ? pattern.test(text) : isInAny(pattern, pieces)
  }
}

async function isInAny(pattern: RE2JS, pieces: readonly string[]): Promise<boolean> {
  const slices = new TimeSlices()
  for (const piece of pieces) {
    if (pattern.test(piece)) return true
    if (slices.isOver()) await slices.next()
  }
  return false
}

/** Names of files that hold secrets (spec administration 11.2), as the refusal shows them. */
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
const ALL = SECRET_FILES.map((source) => ({ source, pattern: new RegExp(source) }))

/** The pattern by which a path looks like a secret; undefined for others. */
export function secretPattern(path: string): string | undefined {
  return ALL.find(({ pattern }) => pattern.test(path))?.source
}
