import { RE2JS } from 're2js'

import { fail } from '../../lib/fail.ts'

interface Named {
  readonly name: string
}

/**
 * Matches names that contain the text; a leading `^` means "begins with", a trailing `$` "ends with", both "equals".
 */
export function bySearch<T extends Named>(refs: readonly T[], search: string | undefined): readonly T[] {
  if (!search) return refs
  const begins = search.startsWith('^')
  const ends = search.length > 1 && search.endsWith('$')
  const text = search.slice(begins ? 1 : 0, ends ? -1 : undefined).toLowerCase()
  const fits = (name: string): boolean => {
    if (begins && ends) return name === text
    if (begins) return name.startsWith(text)
    return ends ? name.endsWith(text) : name.includes(text)
  }
  return refs.filter((one) => fits(one.name.toLowerCase()))
}

/** Matches names by a regular expression, in linear time for any expression. */
export function byExpression<T extends Named>(
  refs: readonly T[],
  expression: string | undefined,
): readonly T[] {
  if (!expression) return refs
  const pattern = compile(expression)
  return refs.filter((one) => pattern.matcher(one.name).find())
}

function compile(expression: string): RE2JS {
  try {
    return RE2JS.compile(expression)
  } catch {
    throw fail('parameter', 'regex is invalid')
  }
}

/** The paging of a list of refs. */
export interface RefWindow {
  readonly limit: number
  readonly offset: number
  readonly per_page: number
  /** Page by the name of the previous page's last ref instead of by number. */
  readonly keyset: boolean
  readonly token?: string | undefined
}

/** One page of refs. */
export interface RefPage<T> {
  readonly rows: readonly T[]
  readonly total?: number | undefined
  readonly next?: Readonly<Record<string, string>> | undefined
}

/** Returns one page of a sorted list. A token of a deleted ref starts again at the first page. */
export function refPage<T extends Named>(refs: readonly T[], window: RefWindow): RefPage<T> {
  if (!window.keyset) {
    return { rows: refs.slice(window.offset, window.offset + window.limit), total: refs.length }
  }
  const start = window.token ? refs.findIndex((one) => one.name === window.token) + 1 : 0
  const rows = refs.slice(start, start + window.per_page)
  const last = rows.at(-1)
  const more = last !== undefined && start + window.per_page < refs.length
  return { rows, next: more ? { page_token: last.name } : undefined }
}
