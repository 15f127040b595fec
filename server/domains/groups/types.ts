import type { NamespaceRow } from '../namespaces/index.ts'

/** A stored group: a namespace that is not personal. */
export interface Group extends NamespaceRow {
  kind: 'group'
}

/** The settings of a group, as columns. */
export type GroupColumns = Partial<
  Omit<NamespaceRow, 'id' | 'name' | 'path' | 'kind' | 'parent_id' | 'lineage'>
>

/** Sizes of the projects and the wiki of a group in bytes, without subgroups. */
export interface GroupSizes {
  readonly repository_size: number
  readonly wiki_size: number
  readonly lfs_objects_size: number
  readonly job_artifacts_size: number
  readonly pipeline_artifacts_size: number
  readonly packages_size: number
  readonly snippets_size: number
  readonly uploads_size: number
}

/** An invited group, with its share. */
export interface InvitedGroupRow {
  readonly group_id: number
  readonly group_name: string
  readonly group_full_path: string
  readonly group_access_level: number
  readonly expires_at: string | null
}

/** The sizes of a group without projects. */
export const NO_SIZES: GroupSizes = {
  repository_size: 0,
  wiki_size: 0,
  lfs_objects_size: 0,
  job_artifacts_size: 0,
  pipeline_artifacts_size: 0,
  packages_size: 0,
  snippets_size: 0,
  uploads_size: 0,
}
