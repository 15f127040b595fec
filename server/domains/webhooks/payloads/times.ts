/** A stored time as events of members and of the instance have it: `2013-12-03T17:15:43Z`. */
export function isoSeconds(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}

/** When the thing of an event was made and last changed, in that form. */
export function timestamps(row: { readonly created_at: string; readonly updated_at: string }) {
  return { created_at: isoSeconds(row.created_at), updated_at: isoSeconds(row.updated_at) }
}
