import type { Selectable } from 'kysely'

import type { SnippetsTable } from '../../db/schema.gen.ts'

/** A snippet as stored. Its content is in its repository. */
export type SnippetRow = Selectable<SnippetsTable>

/** Paths of a snippet's files, in order. */
export function pathsOf(snippet: Pick<SnippetRow, 'files'>): string[] {
  return JSON.parse(snippet.files) as string[]
}

/** Paths in a wanted order, followed by the remaining ones. */
export function inOrder(paths: readonly string[], wanted: readonly string[]): string[] {
  return [...new Set([...wanted.filter((path) => paths.includes(path)), ...paths])]
}
