import type { Ctx } from '../../../ctx.ts'
import { atLeastOne, endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { bool, choice, day, int, list as listOf, text, timestamp } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import type { Scope } from '../../../policy/ability.ts'
import { group, type Group } from '../../groups/index.ts'
import { project, type Project } from '../../projects/index.ts'
import { checkOpen as checkPlanned } from '../labels/owner-kind.ts'
import { burndownOf } from './burndown.ts'
import { BurndownEvent, Milestone } from './entity.ts'
import { list } from './list.ts'
import { groupOwner, projectOwner, type MilestoneOwner } from './owner.ts'
import { abilities, groupAbilities } from './policy.ts'
import { promoteMilestone } from './promote.ts'
import { createMilestone, deleteMilestone, findMilestone, updateMilestone } from './service.ts'

/** What the milestone endpoints of projects and those of groups differ in. */
interface MilestoneOwnerKind {
  readonly scope: Scope
  readonly thing: 'project' | 'group'
  /** First segments of the address, `/projects/:id/milestones`. */
  readonly at: `/${string}`
  readonly can: { readonly read: never; readonly admin: never }
  owner(ctx: object): MilestoneOwner
}

/** Milestones of projects. */
const ofProjects: MilestoneOwnerKind = {
  scope: project as unknown as Scope,
  thing: 'project',
  at: '/projects/:id/milestones',
  can: { read: abilities.read_milestone as never, admin: abilities.admin_milestone as never },
  owner: (ctx) => {
    const loaded = ctx as Ctx & { readonly project: Project }
    checkPlanned(loaded, loaded.project)
    return projectOwner(loaded.project)
  },
}

/** Milestones of groups. */
const ofGroups: MilestoneOwnerKind = {
  scope: group as unknown as Scope,
  thing: 'group',
  at: '/groups/:id/milestones',
  can: {
    read: groupAbilities.read_group_milestone as never,
    admin: groupAbilities.admin_group_milestone as never,
  },
  owner: (ctx) => groupOwner((ctx as { readonly group: Group }).group),
}

const milestoneId = { milestone_id: int({ min: 1 }).describe('Id of the milestone') }
const filters = {
  iids: listOf(int()).optional().describe('Only those with these numbers'),
  state: choice('active', 'closed', 'all').default('all').describe('Only those in this state'),
  title: text().optional().describe('Only the one of this title'),
  search: text({ max: 255 }).optional().describe('Part of the title or description'),
  search_title: text({ max: 255 }).optional().describe('Part of the title'),
  include_parent_milestones: bool().optional().describe('Also those of the groups above'),
  include_ancestors: bool().optional().describe('The same'),
  include_descendants: bool().optional().describe('Of a group: also those of what is below it'),
  updated_after: timestamp().optional().describe('Only those changed at or after'),
  updated_before: timestamp().optional().describe('Only those changed at or before'),
  containing_date: day().optional().describe('Only those that run on this day'),
}
const fields = {
  description: text().nullable().optional().describe('Description, Markdown'),
  due_date: day().nullable().optional().describe('Last day; null for none'),
  start_date: day().nullable().optional().describe('First day; null for none'),
}
const refusals = { 400: 'Title or dates are not acceptable' }

function reads(kind: MilestoneOwnerKind): Endpoint[] {
  const { scope, thing, at } = kind
  const common = { scope, can: kind.can.read, pure: true }
  return [
    endpoint(`GET ${at}`, {
      ...common,
      summary: `List the milestones of a ${thing}`,
      params: filters,
      returns: page(Milestone),
      run: (ctx) => {
        const { include_parent_milestones, include_ancestors, include_descendants, ...rest } = ctx.params
        const above = (include_parent_milestones ?? include_ancestors) === true
        const filter = { ...rest, above, below: include_descendants === true }
        return list(ctx.db, ctx, { owner: kind.owner(ctx), filter }, ctx.paging)
      },
    }),
    endpoint(`GET ${at}/:milestone_id`, {
      ...common,
      summary: `Get a milestone of a ${thing}`,
      params: milestoneId,
      returns: ok(Milestone),
      run: (ctx) => findMilestone(ctx, kind.owner(ctx), ctx.params.milestone_id),
    }),
    endpoint(`GET ${at}/:milestone_id/burndown_events`, {
      ...common,
      summary: `List what happened to the issues of a milestone of a ${thing}`,
      params: milestoneId,
      returns: page(BurndownEvent, { paging: 'none' }),
      run: (ctx) => {
        const rows = burndownOf(ctx, findMilestone(ctx, kind.owner(ctx), ctx.params.milestone_id).id)
        return { rows, total: rows.length }
      },
    }),
  ]
}

function writes(kind: MilestoneOwnerKind): Endpoint[] {
  const { scope, thing, at } = kind
  const common = { scope, can: kind.can.admin }
  return [
    endpoint(`POST ${at}`, {
      ...common,
      summary: `Make a milestone in a ${thing}`,
      params: { title: text().describe('Title'), ...fields },
      fails: refusals,
      returns: created(Milestone),
      run: (ctx) => createMilestone(ctx, kind.owner(ctx), ctx.params),
    }),
    endpoint(`PUT ${at}/:milestone_id`, {
      ...common,
      summary: `Change a milestone of a ${thing}`,
      params: {
        ...milestoneId,
        title: text().optional().describe('New title'),
        ...fields,
        state_event: choice('close', 'activate').optional().describe('Close it, or make it active again'),
      },
      together: [atLeastOne('title', 'start_date', 'due_date', 'description', 'state_event')],
      fails: refusals,
      returns: ok(Milestone),
      run: (ctx) => {
        const { milestone_id, ...changes } = ctx.params
        const owner = kind.owner(ctx)
        return updateMilestone(ctx, owner, findMilestone(ctx, owner, milestone_id), changes)
      },
    }),
    endpoint(`DELETE ${at}/:milestone_id`, {
      ...common,
      summary: `Delete a milestone of a ${thing}`,
      params: milestoneId,
      returns: noContent,
      run: (ctx) => {
        const milestone = findMilestone(ctx, kind.owner(ctx), ctx.params.milestone_id)
        ctx.http.unmodifiedSince(milestone.updated_at)
        deleteMilestone(ctx, milestone)
      },
    }),
  ]
}

/** Milestones of projects and of groups (spec core 6.2). */
export const milestones: Endpoint[] = [ofProjects, ofGroups].flatMap((kind) => [
  ...reads(kind),
  ...writes(kind),
])

export const promote = endpoint('POST /projects/:id/milestones/:milestone_id/promote', {
  summary: "Make a milestone of a project one of its group's",
  scope: project,
  can: abilities.admin_milestone,
  params: milestoneId,
  fails: { 400: 'Project does not belong to a group.' },
  returns: ok(Milestone),
  run: (ctx) => promoteMilestone(ctx, ctx.project, ctx.params.milestone_id),
})
