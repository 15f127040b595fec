import type { Selectable } from 'kysely'

import type { SnippetsTable } from '../../db/schema.gen.ts'

/** A snippet as stored. Its content is in its repository; `files` has their paths, in order. */
export type SnippetRow = Selectable<SnippetsTable>

/** Paths in a wanted order, followed by the remaining ones. */
export function inOrder(paths: readonly string[], wanted: readonly string[]): string[] {
  return [...new Set([...wanted.filter((path) => paths.includes(path)), ...paths])]
}
