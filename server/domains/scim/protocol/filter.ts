import type { RawBuilder } from 'kysely'
import { parse, type Filter } from 'scim2-parse-filter'
import { conditionOf, type Condition, refusal } from './store.ts'

const MAX_LENGTH = 2000

/**
 * A filter as a condition on `scim_identities i` and `users u`. `active` is the condition for active users in the scope. Throws 412
 * `Unsupported Filter` for an invalid filter and for unsupported attributes (spec administration 8.2).
 */
export function filterCondition(text: string, active: RawBuilder<unknown>): Condition {
  // The parser takes exponential time for an open quotation with many line breaks.
  if (text.length > MAX_LENGTH || /[\r\n]/.test(text)) throw refusal()
  let parsed: Filter
  try {
    parsed = parse(text)
  } catch {
    throw refusal()
  }
  return conditionOf(parsed, '', active)
}
