import type { PatternName, PushRule } from '../../push_rules/index.ts'

/** A stored pattern that the engine does not take; the message is for the user. */
export class BadPattern extends Error {}

/**
 * The question that a pattern of a rule asks of a text; undefined where there is none. Throws BadPattern for one that
 * cannot be used, as an earlier release may have stored it.
 */
export function used<T>(
  rule: PushRule,
  name: PatternName,
  make: (name: PatternName, source: string | null) => T,
): T {
  const source = rule[name]
  try {
    return make(name, source)
  } catch (error) {
    throw new BadPattern(`Regular expression '${source}' is invalid: ${(error as Error).message}`)
  }
}
