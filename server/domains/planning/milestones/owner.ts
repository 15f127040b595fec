/** Whose milestones are meant: a project or a group. */
export interface MilestoneOwner {
  readonly kind: 'project' | 'group'
  readonly id: number
  /** Ids of the groups above it from the top down, a group itself included, as a JSON array. */
  readonly lineage: string
}

/** The part of a project or group that decides which milestones it has. */
export type MilestoneScope = Pick<MilestoneOwner, 'id' | 'lineage'>

/** A project as the owner of milestones. */
export function projectOwner({ id, lineage }: MilestoneScope): MilestoneOwner {
  return { kind: 'project', id, lineage }
}

/** A group as the owner of milestones. */
export function groupOwner({ id, lineage }: MilestoneScope): MilestoneOwner {
  return { kind: 'group', id, lineage }
}

/** The columns that say so in a row. */
export function ownerColumns(owner: MilestoneOwner): { project_id: number | null; group_id: number | null } {
  return owner.kind === 'project'
    ? { project_id: owner.id, group_id: null }
    : { project_id: null, group_id: owner.id }
}
