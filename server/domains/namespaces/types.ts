import type { Selectable } from 'kysely'

import type { NamespacesTable } from '../../db/schema.gen.ts'

/** A personal namespace or a group as stored. */
export type NamespaceRow = Selectable<NamespacesTable>

/** The columns of a nested namespace. */
export type NamespaceBasicRow = Pick<
  NamespaceRow,
  'id' | 'name' | 'path' | 'kind' | 'full_path' | 'parent_id' | 'avatar'
>

/** A namespace with the counts for users who manage it. */
export interface NamespaceView extends NamespaceRow {
  /** Members of the namespace and of everything below. Undefined for viewers who may not know. */
  members_count: number | undefined
  /** Those members, and members of groups invited there, who use a seat. */
  seats: number
}
