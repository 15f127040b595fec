import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail, Failure } from '../../lib/fail.ts'
import { parseQuickActions } from '../discussions/index.ts'
import { assigneeIdsOf } from '../planning/index.ts'
import type { Project } from '../projects/index.ts'
import { eventOf, MergeRequestDeleted } from './events.ts'
import { canUpdate } from './policy.ts'
import { runRequestCommands } from './service-commands.ts'
import { openRequest, type NewRequest } from './service-create.ts'
import { editMergeRequest, type RequestChanges } from './service-edit.ts'
import * as store from './store.ts'
import type { MergeRequestRow } from './types.ts'

/** Finds a merge request by its IID. Throws `404 Not found`. */
export function findMergeRequest(ctx: Ctx, project: Project, iid: number): MergeRequestRow {
  const found = store.byIid(ctx.db, project.id, iid)
  if (!found) throw new Failure('not_found', '404 Not found')
  return found
}

export { targetOf, type NewRequest } from './service-create.ts'

/** Splits the quick actions from the description. */
function takeCommands<Given extends { readonly description?: string | null | undefined }>(given: Given) {
  const { text, commands } = parseQuickActions(given.description ?? '')
  return { commands, rest: commands.length === 0 ? given : { ...given, description: text } }
}

/** Creates a merge request as `openRequest` does, and executes the quick actions in its description. */
export async function createMergeRequest(
  ctx: Ctx,
  projects: { readonly source: Project; readonly target: Project },
  given: NewRequest,
): Promise<MergeRequestRow> {
  const { commands, rest } = takeCommands(given)
  const made = await openRequest(ctx, projects, rest)
  if (commands.length > 0) await runRequestCommands(ctx, projects.target, made.id, commands)
  return store.byId(ctx.db, made.id) ?? made
}

/** Updates a merge request as `editMergeRequest` does, and executes the quick actions in its new description. */
export async function updateMergeRequest(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  given: RequestChanges,
): Promise<MergeRequestRow> {
  const { commands, rest } = takeCommands(given)
  const edited = await editMergeRequest(ctx, project, request, rest)
  if (commands.length > 0) await runRequestCommands(ctx, project, request.id, commands)
  return commands.length > 0 ? (store.byId(ctx.db, request.id) ?? edited) : edited
}

/** Throws 403 unless the actor may update the merge request. */
export function checkUpdate(ctx: Ctx, project: Project, request: MergeRequestRow): void {
  const { id } = ctx.actor
  const isAssignee = id !== null && assigneeIdsOf(ctx.db, 'MergeRequest', request.id).includes(id)
  if (!canUpdate(ctx, project, request, isAssignee)) throw fail('forbidden')
}

/** Deletes a merge request. A subscriber removes its refs. */
export function deleteMergeRequest(ctx: Ctx, request: MergeRequestRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, request.id)
    publish(ctx, MergeRequestDeleted, eventOf(ctx, request))
  })
}
