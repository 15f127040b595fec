import type { NamespaceAncestry, ProjectAncestry } from './store-roles.ts'

/** A project or group, with the columns that determine its members. */
export interface MemberSource {
  readonly column: 'project_id' | 'namespace_id'
  readonly id: number
  /** The ids of its ancestor groups, from which it inherits members, as a JSON array. */
  readonly ancestors: string
  /**
   * The ids of its ancestor groups and, for a group, of the group itself, as a JSON array. Members of groups that are
   * invited to one of them are also its members.
   */
  readonly lineage: string
  /** The owner of the personal namespace. This membership cannot end. Null in a group. */
  readonly owner_id: number | null
  readonly title: 'project' | 'group'
}

/** Returns a project as a source of members. */
export function projectSource(project: ProjectAncestry): MemberSource {
  return {
    column: 'project_id',
    id: project.id,
    ancestors: project.lineage,
    lineage: project.lineage,
    owner_id: project.owner_id,
    title: 'project',
  }
}

/** Returns a group as a source of members. */
export function groupSource(group: NamespaceAncestry): MemberSource {
  const ancestors = (JSON.parse(group.lineage) as number[]).filter((id) => id !== group.id)
  return {
    column: 'namespace_id',
    id: group.id,
    ancestors: JSON.stringify(ancestors),
    lineage: group.lineage,
    owner_id: null,
    title: 'group',
  }
}
