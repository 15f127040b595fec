import type { NamespaceAncestry, ProjectAncestry } from './store-roles.ts'

/** What somebody is a member of, as the membership code needs it. */
export interface MemberSource {
  readonly column: 'project_id' | 'namespace_id'
  readonly id: number
  /** Ids of the groups whose members belong here too, as a JSON array. */
  readonly above: string
  /** Ids of the groups whose invited groups belong here too: itself and those above, as a JSON array. */
  readonly lineage: string
  /** Owner of the personal namespace, whose membership cannot end. */
  readonly owner_id: number | null
  readonly title: 'project' | 'group'
}

/** A project as the source of members. */
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

/** A group as the source of members. */
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
