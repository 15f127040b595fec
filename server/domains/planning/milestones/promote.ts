import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { findGroup, group as groupScope } from '../../groups/index.ts'
import type { Project } from '../../projects/index.ts'
import { MilestonePromoted } from './events.ts'
import type { MilestoneRow } from './milestone.ts'
import { groupOwner, projectOwner } from '../types-owner.ts'
import { groupAbilities } from './policy.ts'
import { check, eventOf, findMilestone } from './service.ts'
import * as store from './store.ts'

/**
 * Makes a project milestone a group milestone. Milestones with the same title in all projects below the group are
 * merged into it. Throws 400 for a project without a group, 403 if the actor may not change the group's milestones.
 */
export function promoteMilestone(ctx: Ctx, project: Project, id: number): MilestoneRow {
  const milestone = findMilestone(ctx, projectOwner(project), id)
  const group = findGroup(ctx, String(project.namespace_id))
  if (!group) throw fail('bad_request', 'Project does not belong to a group.')
  if (!isAble(ctx, groupScope, groupAbilities.admin_group_milestone, group, true)) throw fail('forbidden')
  const owner = groupOwner(group)
  return tx(ctx.db, () => {
    const merged_ids = store.idsInProjectsBelow(ctx.db, group.id, milestone.title)
    check(ctx, owner, { ...milestone, start_date: null }, merged_ids)
    const { title, description, state, start_date, due_date } = milestone
    const times = { created_at: ctx.now, updated_at: ctx.now }
    const values = { title, description, state, start_date, due_date, ...times }
    const promoted = store.insert(ctx.db, owner, values)
    store.moveUses(ctx.db, merged_ids, promoted.id)
    store.remove(ctx.db, merged_ids)
    publish(ctx, MilestonePromoted, { ...eventOf(ctx, promoted), group_id: group.id, merged_ids })
    return promoted
  })
}
