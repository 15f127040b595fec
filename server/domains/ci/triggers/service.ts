import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { usersById } from '../../users/index.ts'
import type { TriggerView } from './entity.ts'
import * as store from './store.ts'
import type { TriggerRow } from './store.ts'
import { newToken, shownToken } from './token.ts'

const MAX_DESCRIPTION = 255

/** One page of a project's triggers as the actor sees them. */
export function listTriggers(
  ctx: Ctx,
  project: Project,
  paging: { limit: number; offset: number },
): Rows<TriggerView> {
  const { rows, total } = store.list(ctx.db, project.id, paging)
  return { rows: show(ctx, rows), total }
}

/** Throws 404. */
export function findTrigger(ctx: Ctx, project: Project, id: number): TriggerRow {
  const found = store.byId(ctx.db, project.id, id)
  if (!found) throw notFound('Trigger')
  return found
}

/** A trigger as the actor sees it; only the owner sees the whole token. */
export function showTrigger(ctx: Ctx, row: TriggerRow): TriggerView {
  return show(ctx, [row])[0]!
}

function show(ctx: Ctx, rows: readonly TriggerRow[]): TriggerView[] {
  const owners = usersById(
    ctx.db,
    rows.flatMap(({ owner_id }) => owner_id ?? []),
  )
  return rows.map((row) => ({
    row,
    token: shownToken(ctx, row),
    owner: owners.get(row.owner_id ?? 0) ?? null,
  }))
}

/** Creates a trigger of the actor. Throws 400 for an invalid description. */
export function createTrigger(ctx: Ctx, project: Project, description: string): TriggerRow {
  checkDescription(description)
  return tx(ctx.db, () =>
    store.insert(ctx.db, {
      project_id: project.id,
      owner_id: ctx.actor.id,
      description,
      ...newToken(ctx),
      created_at: ctx.now,
      updated_at: ctx.now,
    }),
  )
}

/** Updates the description of a trigger. Throws 403 unless the actor is its owner, 400 for an invalid description. */
export function updateTrigger(
  ctx: Ctx,
  project: Project,
  id: number,
  description: string | undefined,
): TriggerRow {
  const found = findTrigger(ctx, project, id)
  if (found.owner_id !== ctx.actor.id) throw fail('forbidden')
  if (description === undefined) return found
  checkDescription(description)
  return tx(ctx.db, () => store.update(ctx.db, found.id, { description, updated_at: ctx.now }))
}

/** Deletes a trigger. Its pipelines stay. */
export function removeTrigger(ctx: Ctx, row: TriggerRow): void {
  tx(ctx.db, () => store.remove(ctx.db, row.id))
}

function checkDescription(description: string): void {
  if (description.trim() === '') throw invalid({ description: "can't be blank" })
  if (description.length > MAX_DESCRIPTION) {
    throw invalid({ description: `is too long (maximum is ${MAX_DESCRIPTION} characters)` })
  }
}
