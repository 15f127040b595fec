/** The owner of a wiki as events say it: exactly one of the two. */
export function ownerIds(of: { readonly project_id: number | null; readonly group_id: number | null }) {
  return {
    ...(of.project_id === null ? {} : { project_id: of.project_id }),
    ...(of.group_id === null ? {} : { group_id: of.group_id }),
  }
}
