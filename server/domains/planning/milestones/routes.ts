import { atLeastOne, endpoint, ownedEndpoint, type Endpoint } from '../../../http/endpoint.ts'
import { bool, choice, day, int, list as listOf, text, timestamp } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import type { Ability, Scope } from '../../../policy/ability.ts'
import { group, type Group } from '../../groups/index.ts'
import { project, type Project } from '../../projects/index.ts'
import { checkPlanningAccess, type OwnerContext } from '../labels/owner-kind.ts'
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
  /** The path of the list of milestones, such as `/projects/:id/milestones`. */
  readonly path: `/${string}`
  readonly can: { readonly read: Ability<Owner>; readonly admin: Ability<Owner> }
  owner(ctx: OwnerContext<Name, Owner>): PlanningOwner
}

const projectKind: MilestoneOwnerKind<'project', Project> = {
  scope: project,
  noun: 'project',
  path: '/projects/:id/milestones',
  can: { read: abilities.read_milestone, admin: abilities.admin_milestone },
  owner: (ctx) => {
    checkPlanningAccess(ctx, ctx.project)
    return projectOwner(ctx.project)
  },
}

const groupKind: MilestoneOwnerKind<'group', Group> = {
  scope: group,
  noun: 'group',
  path: '/groups/:id/milestones',
  can: {
    read: groupAbilities.read_group_milestone,
    admin: groupAbilities.admin_group_milestone,
  },
  owner: (ctx) => groupOwner(ctx.group),
}

const milestoneId = { milestone_id: int({ min: 1 }).describe('The ID of the milestone') }
const filters = {
  iids: listOf(int()).optional().describe('Filter by IIDs'),
  state: choice('active', 'closed', 'all').default('all').describe('Filter by state'),
  title: text().optional().describe('Filter by exact title'),
  search: text({ max: 255 }).optional().describe('Search the title and description'),
  search_title: text({ max: 255 }).optional().describe('Search the title'),
  include_parent_milestones: bool().optional().describe('Include the milestones of parent groups'),
  include_ancestors: bool().optional().describe('Alias of `include_parent_milestones`'),
  include_descendants: bool()
    .optional()
    .describe('Include the milestones of the projects and subgroups of the group'),
  updated_after: timestamp().optional().describe('Filter by the last update at or after this time'),
  updated_before: timestamp().optional().describe('Filter by the last update at or before this time'),
  containing_date: day().optional().describe('Filter by milestones that contain this day'),
}
const fields = {
  description: text().nullable().optional().describe('The description, in Markdown'),
  due_date: day().nullable().optional().describe('The due date. `null` removes it'),
  start_date: day().nullable().optional().describe('The start date. `null` removes it'),
}
const INVALID = { 400: 'The title or the dates are invalid' }

function reads<Name extends string, Owner>(kind: MilestoneOwnerKind<Name, Owner>): Endpoint[] {
  const { scope, noun, path } = kind
  const common = { scope, can: kind.can.read, pure: true }
  return [
    ownedEndpoint(`GET ${path}`, {
      ...common,
      summary: `List ${noun} milestones`,
      params: filters,
      returns: page(Milestone),
      run: (ctx) => {
        const { include_parent_milestones, include_ancestors, include_descendants, ...rest } = ctx.params
        const includeAncestors = (include_parent_milestones ?? include_ancestors) === true
        const filter = { ...rest, includeAncestors, includeDescendants: include_descendants === true }
        return list(ctx.db, ctx, { owner: kind.owner(ctx), filter }, ctx.paging)
      },
    }),
    ownedEndpoint(`GET ${path}/:milestone_id`, {
      ...common,
      summary: `Get a ${noun} milestone`,
      params: milestoneId,
      returns: ok(Milestone),
      run: (ctx) => findMilestone(ctx, kind.owner(ctx), ctx.params.milestone_id),
    }),
    ownedEndpoint(`GET ${path}/:milestone_id/burndown_events`, {
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
  const { scope, noun, path } = kind
  const common = { scope, can: kind.can.admin }
  return [
    ownedEndpoint(`POST ${path}`, {
      ...common,
      summary: `Create a ${noun} milestone`,
      params: { title: text().describe('The title'), ...fields },
      fails: INVALID,
      returns: created(Milestone),
      run: (ctx) => createMilestone(ctx, kind.owner(ctx), ctx.params),
    }),
    ownedEndpoint(`PUT ${path}/:milestone_id`, {
      ...common,
      summary: `Update a ${noun} milestone`,
      params: {
        ...milestoneId,
        title: text().optional().describe('The new title'),
        ...fields,
        state_event: choice('close', 'activate').optional().describe('The new state: `close` or `activate`'),
      },
      parameterRules: [atLeastOne('title', 'start_date', 'due_date', 'description', 'state_event')],
      fails: INVALID,
      returns: ok(Milestone),
      run: (ctx) => {
        const { milestone_id, ...changes } = ctx.params
        const owner = kind.owner(ctx)
        return updateMilestone(ctx, owner, findMilestone(ctx, owner, milestone_id), changes)
      },
    }),
    ownedEndpoint(`DELETE ${path}/:milestone_id`, {
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

export const milestones: Endpoint[] = [...endpointsOf(projectKind), ...endpointsOf(groupKind)]

export const promote = endpoint('POST /projects/:id/milestones/:milestone_id/promote', {
  summary: 'Promote a project milestone to a group milestone',
  scope: project,
  can: abilities.admin_milestone,
  params: milestoneId,
  fails: { 400: 'Project does not belong to a group.' },
  returns: ok(Milestone),
  run: (ctx) => promoteMilestone(ctx, ctx.project, ctx.params.milestone_id),
})
