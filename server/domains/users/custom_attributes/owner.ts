/** What has custom attributes; a group is a `namespace`. */
export type OwnerKind = 'user' | 'namespace' | 'project'

/** The column of each kind's owner. */
export const OWNER_COLUMN = {
  user: 'user_id',
  namespace: 'namespace_id',
  project: 'project_id',
} as const satisfies Record<OwnerKind, string>

/** A key and its value. */
export interface CustomAttributeRow {
  readonly key: string
  readonly value: string
}
