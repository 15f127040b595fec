import type { NamespaceAncestry, ProjectAncestry } from './store-roles.ts'

/** A project or group with the columns that decide about its members. */
export interface MemberSource {
  readonly column: 'project_id' | 'namespace_id'
  readonly id: number
  /** IDs of the groups that it inherits members from, as a JSON array. */
  readonly above: string
  /** IDs of the groups that it inherits shares from: itself and its ancestors, as a JSON array. */
  readonly lineage: string
  /** Owner of the personal namespace. This membership cannot end. */
  readonly owner_id: number | null
  readonly title: 'project' | 'group'
}

/** Returns a project as the source of members. */
export function projectSource(project: ProjectAncestry): MemberSource {
  return {
    column: 'project_id',
    id: project.id,
    above: project.lineage,
    lineage: project.lineage,
    owner_id: project.owner_id,
    title: 'project',
  }
}

/** Returns a group as the source of members. */
export function groupSource(group: NamespaceAncestry): MemberSource {
  const above = (JSON.parse(group.lineage) as number[]).filter((id) => id !== group.id)
  return {
    column: 'namespace_id',
    id: group.id,
    above: JSON.stringify(above),
    lineage: group.lineage,
    owner_id: null,
    title: 'group',
  }
}
