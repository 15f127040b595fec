/** Whose labels are meant: a project or a group. */
export interface LabelOwner {
  readonly kind: 'project' | 'group'
  readonly id: number
  /** Ids of the groups above it from the top down, a group itself included, as a JSON array. */
  readonly lineage: string
}

/** The part of a project or group that decides which labels it has. */
export type LabelScope = Pick<LabelOwner, 'id' | 'lineage'>

/** A project as the owner of labels. */
export function projectOwner({ id, lineage }: LabelScope): LabelOwner {
  return { kind: 'project', id, lineage }
}

/** A group as the owner of labels. */
export function groupOwner({ id, lineage }: LabelScope): LabelOwner {
  return { kind: 'group', id, lineage }
}

/** The columns that say so in a row. */
export function ownerColumns(owner: LabelOwner): { project_id: number | null; group_id: number | null } {
  return owner.kind === 'project'
    ? { project_id: owner.id, group_id: null }
    : { project_id: null, group_id: owner.id }
}
