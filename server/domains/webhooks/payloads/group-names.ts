/** How a group is called in events about something of it. */
export function groupNames(group: { readonly id: number; readonly name: string; readonly path: string }) {
  return { group_name: group.name, group_path: group.path, group_id: group.id }
}
