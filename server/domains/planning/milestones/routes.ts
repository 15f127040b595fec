import { atLeastOne, endpoint, ownedEndpoint, type Endpoint } from '../../../http/endpoint.ts'
import { bool, choice, day, int, list as listOf, text, timestamp } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import type { Ability, Scope } from '../../../policy/ability.ts'
import { group, type Group } from '../../groups/index.ts'
import { project, type Project } from '../../projects/index.ts'
import { checkOpen as checkPlanned, type OwnerContext } from '../labels/owner-kind.ts'
import { burndownOf, list } from './store.ts'
import { BurndownEvent, Milestone } from './entity.ts'
import { groupOwner, projectOwner, type PlanningOwner } from '../types-owner.ts'
import { abilities, groupAbilities } from '../policy.ts'
import {
  createMilestone,
  deleteMilestone,
  findMilestone,
  updateMilestone,
  promoteMilestone,
} from './service.ts'

/** The differences between the milestone endpoints of projects and of groups. */
interface MilestoneOwnerKind<Name extends string, Owner> {
  readonly scope: Scope<Name, Owner>
  readonly noun: 'project' | 'group'
  /** First segments of the path, `/projects/:id/milestones`. */
  readonly at: `/${string}`
  readonly can: { readonly read: Ability<Owner>; readonly admin: Ability<Owner> }
  owner(ctx: OwnerContext<Name, Owner>): PlanningOwner
}

const ofProjects: MilestoneOwnerKind<'project', Project> = {
  scope: project,
  noun: 'project',
  at: '/projects/:id/milestones',
  can: { read: abilities.read_milestone, admin: abilities.admin_milestone },
  owner: (ctx) => {
    checkPlanned(ctx, ctx.project)
    return projectOwner(ctx.project)
  },
}

const ofGroups: MilestoneOwnerKind<'group', Group> = {
  scope: group,
  noun: 'group',
  at: '/groups/:id/milestones',
  can: {
    read: groupAbilities.read_group_milestone,
    admin: groupAbilities.admin_group_milestone,
  },
  owner: (ctx) => groupOwner(ctx.group),
}

const milestoneId = { milestone_id: int({ min: 1 }).describe('Id of the milestone') }
const filters = {
  iids: listOf(int()).optional().describe('Filter by IIDs'),
  state: choice('active', 'closed', 'all').default('all').describe('Filter by state'),
  title: text().optional().describe('Filter by exact title'),
  search: text({ max: 255 }).optional().describe('Part of the title or description'),
  search_title: text({ max: 255 }).optional().describe('Part of the title'),
  include_parent_milestones: bool().optional().describe('Include those of parent groups'),
  include_ancestors: bool().optional().describe('The same'),
  include_descendants: bool().optional().describe('Include those of projects and subgroups of the group'),
  updated_after: timestamp().optional().describe('Updated at or after'),
  updated_before: timestamp().optional().describe('Updated at or before'),
  containing_date: day().optional().describe('Filter by milestones that contain this day'),
}
const fields = {
  description: text().nullable().optional().describe('Description, Markdown'),
  due_date: day().nullable().optional().describe('Last day; null for none'),
  start_date: day().nullable().optional().describe('First day; null for none'),
}
const refusals = { 400: 'Title or dates are not acceptable' }

function reads<Name extends string, Owner>(kind: MilestoneOwnerKind<Name, Owner>): Endpoint[] {
  const { scope, noun, at } = kind
  const common = { scope, can: kind.can.read, pure: true }
  return [
    ownedEndpoint(`GET ${at}`, {
      ...common,
      summary: `List ${noun} milestones`,
      params: filters,
      returns: page(Milestone),
      run: (ctx) => {
        const { include_parent_milestones, include_ancestors, include_descendants, ...rest } = ctx.params
        const above = (include_parent_milestones ?? include_ancestors) === true
        const filter = { ...rest, above, below: include_descendants === true }
        return list(ctx.db, ctx, { owner: kind.owner(ctx), filter }, ctx.paging)
      },
    }),
    ownedEndpoint(`GET ${at}/:milestone_id`, {
      ...common,
      summary: `Get a ${noun} milestone`,
      params: milestoneId,
      returns: ok(Milestone),
      run: (ctx) => findMilestone(ctx, kind.owner(ctx), ctx.params.milestone_id),
    }),
    ownedEndpoint(`GET ${at}/:milestone_id/burndown_events`, {
      ...common,
      summary: `List burndown events of a ${noun} milestone`,
      params: milestoneId,
      returns: page(BurndownEvent, { paging: 'none' }),
      run: (ctx) => {
        const rows = burndownOf(ctx, findMilestone(ctx, kind.owner(ctx), ctx.params.milestone_id).id)
        return { rows, total: rows.length }
      },
    }),
  ]
}

function writes<Name extends string, Owner>(kind: MilestoneOwnerKind<Name, Owner>): Endpoint[] {
  const { scope, noun, at } = kind
  const common = { scope, can: kind.can.admin }
  return [
    ownedEndpoint(`POST ${at}`, {
      ...common,
      summary: `Create a ${noun} milestone`,
      params: { title: text().describe('Title'), ...fields },
      fails: refusals,
      returns: created(Milestone),
      run: (ctx) => createMilestone(ctx, kind.owner(ctx), ctx.params),
    }),
    ownedEndpoint(`PUT ${at}/:milestone_id`, {
      ...common,
      summary: `Update a ${noun} milestone`,
      params: {
        ...milestoneId,
        title: text().optional().describe('New title'),
        ...fields,
        state_event: choice('close', 'activate').optional().describe('The new state: `close` or `activate`'),
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
    ownedEndpoint(`DELETE ${at}/:milestone_id`, {
      ...common,
      summary: `Delete a ${noun} milestone`,
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

/** Declares the milestone endpoints of projects or groups (spec core 6.2). */
function endpointsOf<Name extends string, Owner>(kind: MilestoneOwnerKind<Name, Owner>): Endpoint[] {
  return [...reads(kind), ...writes(kind)]
}

export const milestones: Endpoint[] = [...endpointsOf(ofProjects), ...endpointsOf(ofGroups)]

export const promote = endpoint('POST /projects/:id/milestones/:milestone_id/promote', {
  summary: 'Promote a project milestone to a group milestone',
  scope: project,
  can: abilities.admin_milestone,
  params: milestoneId,
  fails: { 400: 'Project does not belong to a group.' },
  returns: ok(Milestone),
  run: (ctx) => promoteMilestone(ctx, ctx.project, ctx.params.milestone_id),
})
