import type { Database } from '../../../db/database.ts'
import { isValidPath } from '../../../lib/text/slug.ts'
import { isNameFree } from '../store.ts'

/** A user name from the external one: the part before an `@`, in letters that a path may have. */
export function cleanUsername(given: string): string {
  const plain = given
    .replace(/@.*$/s, '')
    .normalize('NFKD')
    .replace(/[^a-zA-Z0-9_.-]/g, '')
    .replace(/^[-.]+/, '')
    .replace(/(\.atom|\.git|\.)+$/i, '')
    .slice(0, 200)
  return plain === '' ? 'user' : plain
}

/** The name itself, or with the first free number after it (spec administration 8.2). */
export function freeUsername(db: Database, given: string): string {
  const name = cleanUsername(given)
  const isFree = (one: string): boolean => isValidPath(one, 'top') && isNameFree(db, one)
  if (isFree(name)) return name
  let number = 1
  while (!isFree(`${name}${number}`)) number++
  return `${name}${number}`
}

/** Whether a user has this name already, perhaps with a number after it. */
export function isCalled(username: string, given: string): boolean {
  const [is, wanted] = [username.toLowerCase(), cleanUsername(given).toLowerCase()]
  return is.startsWith(wanted) && /^\d*$/.test(is.slice(wanted.length))
}
