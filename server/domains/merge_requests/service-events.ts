/** Makes the fields that every event about a merge request has. */
export function eventOf(
  ctx: { readonly actor: { readonly id: number | null } },
  request: { readonly id: number; readonly iid: number; readonly project_id: number },
) {
  const { id, iid, project_id } = request
  return { merge_request_id: id, iid, project_id, actor_id: ctx.actor.id }
}
