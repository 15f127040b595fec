import type { Selectable } from 'kysely'

import type { NamespacesTable } from '../../db/schema.gen.ts'

/** A personal namespace or a group as stored. */
export type NamespaceRow = Selectable<NamespacesTable>

/** What the nested form of a namespace needs. */
export type NamespaceBasicRow = Pick<
  NamespaceRow,
  'id' | 'name' | 'path' | 'kind' | 'full_path' | 'parent_id' | 'avatar'
>

/** A namespace with what its managers see beside it. */
export interface NamespaceView extends NamespaceRow {
  /** Members of it and of everything below; undefined for who may not know. */
  members_count: number | undefined
  /** Those of them, and of the groups invited there, who take a seat. */
  seats: number
}
