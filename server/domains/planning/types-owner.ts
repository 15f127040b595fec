/** The owner of labels, milestones and boards: a project or a group. */
export interface PlanningOwner {
  readonly kind: 'project' | 'group'
  readonly id: number
  /** The IDs of its groups from the top down, as a JSON array. A group includes itself. */
  readonly lineage: string
}

/** The columns that determine from which groups a project or group inherits labels and milestones. */
export type PlanningScope = Pick<PlanningOwner, 'id' | 'lineage'>

/** Returns a project as the owner of labels, milestones and boards. */
export function projectOwner({ id, lineage }: PlanningScope): PlanningOwner {
  return { kind: 'project', id, lineage }
}

/** Returns a group as the owner of labels, milestones and boards. */
export function groupOwner({ id, lineage }: PlanningScope): PlanningOwner {
  return { kind: 'group', id, lineage }
}

/** Returns the columns that refer to the owner. */
export function ownerColumns(owner: PlanningOwner): { project_id: number | null; group_id: number | null } {
  return owner.kind === 'project'
    ? { project_id: owner.id, group_id: null }
    : { project_id: null, group_id: owner.id }
}
