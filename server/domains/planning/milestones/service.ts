import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { Failure, invalid } from '../../../lib/fail.ts'
import {
  MilestoneActivated,
  MilestoneClosed,
  MilestoneCreated,
  MilestoneDeleted,
  MilestoneUpdated,
} from './events.ts'
import type { MilestoneRow } from './milestone.ts'
import type { MilestoneOwner } from './owner.ts'
import * as store from './store.ts'

const MAX_TITLE = 255

/** What a milestone is made from; dates are calendar days. */
export interface NewMilestone {
  readonly title: string
  readonly description?: string | null | undefined
  readonly start_date?: string | null | undefined
  readonly due_date?: string | null | undefined
}

/** What can be changed of it. */
export interface MilestoneChanges extends Partial<NewMilestone> {
  readonly state_event?: 'close' | 'activate' | undefined
}

/** The milestone of that id that the owner itself has. Throws `404 Not found`. */
export function findMilestone(ctx: Ctx, owner: MilestoneOwner, id: number): MilestoneRow {
  const found = store.byId(ctx.db, id)
  const isOwn = owner.kind === 'project' ? found?.project_id === owner.id : found?.group_id === owner.id
  if (!found || !isOwn) throw new Failure('not_found', '404 Not found')
  return found
}

/** Makes a milestone. Throws 400 for a title that is taken here, above or below, and for dates that do not fit. */
export function createMilestone(ctx: Ctx, owner: MilestoneOwner, given: NewMilestone): MilestoneRow {
  return tx(ctx.db, () => {
    const title = given.title.trim()
    const { start_date = null, due_date = null, description = null } = given
    check(ctx, owner, { title, start_date, due_date }, [])
    const made = store.insert(ctx.db, owner, {
      title,
      description,
      start_date,
      due_date,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    publish(ctx, MilestoneCreated, eventOf(ctx, made))
    return made
  })
}

/** Changes a milestone, closes it or makes it active again. Throws 400 as creating does. */
export function updateMilestone(
  ctx: Ctx,
  owner: MilestoneOwner,
  before: MilestoneRow,
  changes: MilestoneChanges,
): MilestoneRow {
  const { state_event, ...given } = changes
  const wanted = { ...given, ...(given.title === undefined ? {} : { title: given.title.trim() }) }
  const columns = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
  const state = state_event === undefined ? before.state : state_event === 'close' ? 'closed' : 'active'
  return tx(ctx.db, () => {
    const after = { ...before, ...columns }
    check(ctx, owner, after, [before.id])
    const updated = store.update(ctx.db, before.id, { ...columns, state, updated_at: ctx.now })
    const changed = Object.keys(columns)
    if (changed.length > 0) publish(ctx, MilestoneUpdated, { ...eventOf(ctx, updated), changed })
    if (state !== before.state)
      publish(ctx, state === 'closed' ? MilestoneClosed : MilestoneActivated, eventOf(ctx, updated))
    return updated
  })
}

/** Removes a milestone; what was planned for it is planned for none. */
export function deleteMilestone(ctx: Ctx, milestone: MilestoneRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, [milestone.id])
    publish(ctx, MilestoneDeleted, { ...eventOf(ctx, milestone), title: milestone.title })
  })
}

/** The ids that every event of a milestone has. */
export function eventOf(ctx: Ctx, { id, iid, project_id, group_id }: MilestoneRow) {
  return {
    milestone_id: id,
    iid,
    actor_id: ctx.actor.id,
    ...(project_id === null ? {} : { project_id }),
    ...(group_id === null ? {} : { group_id }),
  }
}

type Checked = Pick<MilestoneRow, 'title' | 'start_date' | 'due_date'>

function titleProblem(ctx: Ctx, owner: MilestoneOwner, title: string, exceptIds: readonly number[]) {
  if (title === '') return "can't be blank"
  if (title.length > MAX_TITLE) return `is too long (maximum is ${MAX_TITLE} characters)`
  if (!store.isTaken(ctx.db, owner, title, exceptIds)) return undefined
  return 'already being used for another group or project milestone.'
}

/** Throws 400 with what cannot stand; `exceptIds` are the milestones whose title it may have. */
export function check(
  ctx: Ctx,
  owner: MilestoneOwner,
  { title, start_date, due_date }: Checked,
  exceptIds: readonly number[],
): void {
  const problem = titleProblem(ctx, owner, title, exceptIds)
  const isBackwards = start_date !== null && due_date !== null && due_date <= start_date
  const problems = {
    ...(problem === undefined ? {} : { title: problem }),
    ...(isBackwards ? { due_date: 'must be greater than start date' } : {}),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}
