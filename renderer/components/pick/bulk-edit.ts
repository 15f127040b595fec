/** An issue or merge request as a list has it. */
export type BulkRow = {
  iid: number
  project_id: number
  state?: string | null
  /** Names, or labels with their details. */
  labels?: readonly (string | { name: string })[]
  assignees?: readonly { id: number }[] | null
  milestone?: { id: number } | null
}
export type BulkPatch = {
  state_event?: 'close' | 'reopen'
  add_labels?: string[]
  remove_labels?: string[]
  assignee_ids?: number[]
  milestone_id?: number
}

const labelsOf = (row: BulkRow) =>
  (row.labels ?? []).map((label) => (typeof label === 'string' ? label : label.name))

/** False for a row that already has the state that the patch asks for. */
export const isChanged = (row: BulkRow, patch: BulkPatch): boolean =>
  !patch.state_event || (row.state === 'opened') === (patch.state_event === 'close')

/** The patch that restores a row as it was before another one. */
export const inverseOf = (row: BulkRow, patch: BulkPatch): BulkPatch => {
  const had = new Set(labelsOf(row))
  const inverse: BulkPatch = {}
  if (patch.state_event) inverse.state_event = patch.state_event === 'close' ? 'reopen' : 'close'
  const added = patch.add_labels?.filter((name) => !had.has(name)) ?? []
  if (added.length > 0) inverse.remove_labels = added
  if (patch.assignee_ids) inverse.assignee_ids = (row.assignees ?? []).map(({ id }) => id)
  // Zero removes the milestone.
  if (patch.milestone_id !== undefined) inverse.milestone_id = row.milestone?.id ?? 0
  return inverse
}
