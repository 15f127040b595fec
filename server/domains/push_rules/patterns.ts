import { RE2JS } from 're2js'

import { linearPattern, searchable } from '../../lib/linear-pattern.ts'
import type { PatternName } from './rule.ts'

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
