import type { Selectable } from 'kysely'

import type { SnippetsTable } from '../../db/schema.gen.ts'

/** A snippet as stored; its content is in its repository. */
export type SnippetRow = Selectable<SnippetsTable>

/** Paths in a snippet's repository, in order. */
export function pathsOf(snippet: Pick<SnippetRow, 'files'>): string[] {
  return JSON.parse(snippet.files) as string[]
}

/** What there is now, in an order that was wanted; what else there is follows as git sorts it. */
export function inOrder(paths: readonly string[], wanted: readonly string[]): string[] {
  return [...new Set([...wanted.filter((path) => paths.includes(path)), ...paths])]
}
