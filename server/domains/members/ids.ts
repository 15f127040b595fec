import { fail } from '../../lib/fail.ts'

/** The id list of `user_id`; a single id counts as one. Throws 400 for anything else. */
export function idsOf(given: string): number[] {
  if (!/^\s*\d{1,15}(\s*,\s*\d{1,15})*\s*,?\s*$/.test(given)) throw fail('parameter', 'user_id is invalid')
  return given
    .split(',')
    .filter((part) => part.trim() !== '')
    .map(Number)
}
