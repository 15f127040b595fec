import type { Selectable } from 'kysely'

import type { SnippetsTable } from '../../db/schema.gen.ts'

/** A snippet as stored. `files` has the paths of its files in display order; their content is in the repository. */
export type SnippetRow = Selectable<SnippetsTable>

/** Sorts paths by their position in `order`. The other paths follow. */
export function inOrder(paths: readonly string[], order: readonly string[]): string[] {
  return [...new Set([...order.filter((path) => paths.includes(path)), ...paths])]
}
