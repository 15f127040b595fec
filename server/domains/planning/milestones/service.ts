import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { Failure, invalid, fail } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { findGroup, group as groupScope } from '../../groups/index.ts'
import type { Project } from '../../projects/index.ts'
import {
  MilestoneActivated,
  MilestoneClosed,
  MilestoneCreated,
  MilestoneDeleted,
  MilestoneUpdated,
  MilestonePromoted,
} from '../events.ts'
import { groupAbilities } from '../policy.ts'
import type { MilestoneRow } from './store.ts'
import { type PlanningOwner, groupOwner, projectOwner } from '../types-owner.ts'
import * as store from './store.ts'

const MAX_TITLE = 255

/** The content of a new milestone. Dates are calendar days. */
export interface NewMilestone {
  readonly title: string
  readonly description?: string | null | undefined
  readonly start_date?: string | null | undefined
  readonly due_date?: string | null | undefined
}

/** The changes of a milestone. Undefined fields stay unchanged. */
export interface MilestoneChanges extends Partial<NewMilestone> {
  readonly state_event?: 'close' | 'activate' | undefined
}

/** Finds a milestone of the owner itself. Throws `404 Not found`. */
export function findMilestone(ctx: Ctx, owner: PlanningOwner, id: number): MilestoneRow {
  const milestone = store.byId(ctx.db, id)
  const isOwn =
    owner.kind === 'project' ? milestone?.project_id === owner.id : milestone?.group_id === owner.id
  if (!milestone || !isOwn) throw new Failure('not_found', '404 Not found')
  return milestone
}

/**
 * Creates a milestone. Throws 400 for invalid dates, and for a title in use in the owner, a parent group, or below the
 * group.
 */
export function createMilestone(ctx: Ctx, owner: PlanningOwner, input: NewMilestone): MilestoneRow {
  return tx(ctx.db, () => {
    const title = input.title.trim()
    const { start_date = null, due_date = null, description = null } = input
    checkMilestone(ctx, owner, { title, start_date, due_date }, [])
    const created = store.insert(ctx.db, owner, {
      title,
      description,
      start_date,
      due_date,
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    publish(ctx, MilestoneCreated, eventFields(ctx, created))
    return created
  })
}

/** Updates, closes or activates a milestone. Throws 400 as `createMilestone` does. */
export function updateMilestone(
  ctx: Ctx,
  owner: PlanningOwner,
  before: MilestoneRow,
  changes: MilestoneChanges,
): MilestoneRow {
  const { state_event, ...input } = changes
  const trimmed = { ...input, ...(input.title === undefined ? {} : { title: input.title.trim() }) }
  const columns = Object.fromEntries(Object.entries(trimmed).filter(([, value]) => value !== undefined))
  const state = state_event === undefined ? before.state : state_event === 'close' ? 'closed' : 'active'
  return tx(ctx.db, () => {
    const after = { ...before, ...columns }
    checkMilestone(ctx, owner, after, [before.id])
    const updated = store.update(ctx.db, before.id, { ...columns, state, updated_at: ctx.now })
    const changed = Object.keys(columns)
    if (changed.length > 0) publish(ctx, MilestoneUpdated, { ...eventFields(ctx, updated), changed })
    if (state !== before.state)
      publish(ctx, state === 'closed' ? MilestoneClosed : MilestoneActivated, eventFields(ctx, updated))
    return updated
  })
}

/** Deletes a milestone. Its issues and merge requests then have no milestone. */
export function deleteMilestone(ctx: Ctx, milestone: MilestoneRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, [milestone.id])
    publish(ctx, MilestoneDeleted, { ...eventFields(ctx, milestone), title: milestone.title })
  })
}

/** Returns the fields that every event about a milestone has. */
export function eventFields(ctx: Ctx, { id, iid, project_id, group_id }: MilestoneRow) {
  return {
    milestone_id: id,
    iid,
    actor_id: ctx.actor.id,
    ...(project_id === null ? {} : { project_id }),
    ...(group_id === null ? {} : { group_id }),
  }
}

type CheckedFields = Pick<MilestoneRow, 'title' | 'start_date' | 'due_date'>

function titleProblem(ctx: Ctx, owner: PlanningOwner, title: string, exceptIds: readonly number[]) {
  if (title === '') return "can't be blank"
  if (title.length > MAX_TITLE) return `is too long (maximum is ${MAX_TITLE} characters)`
  if (!store.isTaken(ctx.db, owner, title, exceptIds)) return undefined
  return 'already being used for another group or project milestone.'
}

/** Throws 400 with the problems of all fields. Milestones in `exceptIds` may have the same title. */
function checkMilestone(
  ctx: Ctx,
  owner: PlanningOwner,
  { title, start_date, due_date }: CheckedFields,
  exceptIds: readonly number[],
): void {
  const problem = titleProblem(ctx, owner, title, exceptIds)
  const endsBeforeStart = start_date !== null && due_date !== null && due_date <= start_date
  const problems = {
    ...(problem === undefined ? {} : { title: problem }),
    ...(endsBeforeStart ? { due_date: 'must be greater than start date' } : {}),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/**
 * Makes a project milestone a group milestone. Milestones with the same title in all projects below the group are
 * merged into it. Throws 400 for a project without a group, 403 if the actor may not change the group's milestones.
 */
export function promoteMilestone(ctx: Ctx, project: Project, id: number): MilestoneRow {
  const milestone = findMilestone(ctx, projectOwner(project), id)
  const group = findGroup(ctx, String(project.namespace_id))
  if (!group) throw fail('bad_request', 'Project does not belong to a group.')
  if (!hasAbility(ctx, groupScope, groupAbilities.admin_group_milestone, group, true)) throw fail('forbidden')
  const owner = groupOwner(group)
  return tx(ctx.db, () => {
    const merged_ids = store.idsInProjectsBelow(ctx.db, group.id, milestone.title)
    checkMilestone(ctx, owner, { ...milestone, start_date: null }, merged_ids)
    const { title, description, state, start_date, due_date } = milestone
    const times = { created_at: ctx.now, updated_at: ctx.now }
    const values = { title, description, state, start_date, due_date, ...times }
    const promoted = store.insert(ctx.db, owner, values)
    store.moveUses(ctx.db, merged_ids, promoted.id)
    store.remove(ctx.db, merged_ids)
    publish(ctx, MilestonePromoted, { ...eventFields(ctx, promoted), group_id: group.id, merged_ids })
    return promoted
  })
}
