import { endpoint } from '../../http/endpoint.ts'
import { choice, day, int, text } from '../../http/params.ts'
import { page } from '../../http/returns.ts'
import { abilities, project } from '../projects/index.ts'
import { ActivityEvent, EventsOfDay } from './entity.ts'
import { ACTIONS, TARGETS } from './types.ts'
import { chart, chartOfUser, feed, feedOfUser } from './service.ts'

const targets = Object.keys(TARGETS) as [keyof typeof TARGETS]

const feedParams = {
  action: choice(...ACTIONS)
    .optional()
    .describe('Only events of this action'),
  target_type: choice(...targets)
    .optional()
    .describe('Only events on this type of target'),
  before: day().optional().describe('Only events before this day'),
  after: day().optional().describe('Only events after this day'),
  sort: choice('asc', 'desc').default('desc').describe('Oldest or newest first'),
}

export const listEvents = endpoint('GET /events', {
  summary: "List the current user's events",
  can: 'signed_in',
  params: {
    ...feedParams,
    scope: choice('all')
      .optional()
      .describe("`all`: also other users' events in the projects of the current user"),
  },
  token: ['read_user'],
  returns: page(ActivityEvent),
  run: (ctx) => {
    const scope = ctx.params.scope === 'all' ? { of_member: true } : { author_id: ctx.actor.id! }
    return feed(ctx, scope, ctx.params, { ...ctx.paging, sort: ctx.params.sort })
  },
})

export const listUserEvents = endpoint('GET /users/:id/events', {
  summary: 'List the contribution events of a user',
  can: 'anyone',
  params: { id: text({ max: 255 }).describe('Id or user name'), ...feedParams },
  token: ['read_user'],
  returns: page(ActivityEvent),
  run: (ctx) => feedOfUser(ctx, ctx.params.id, ctx.params, { ...ctx.paging, sort: ctx.params.sort }),
})

export const listProjectEvents = endpoint('GET /projects/:id/events', {
  summary: 'List the visible events of a project',
  scope: project,
  can: abilities.read_project,
  params: feedParams,
  returns: page(ActivityEvent),
  run: (ctx) =>
    feed(ctx, { project_id: ctx.project.id }, ctx.params, { ...ctx.paging, sort: ctx.params.sort }),
})

const chartParams = {
  days: int({ min: 1, max: 366 }).default(90).describe('Number of days up to today'),
  by: choice('day', 'week').default('day').describe('Count by day or by week'),
}

export const chartProjectEvents = endpoint('GET /-/projects/:id/events/charts', {
  summary: 'Count the visible events of a project by day or week',
  scope: project,
  can: abilities.read_project,
  params: chartParams,
  returns: page(EventsOfDay, { paging: 'none' }),
  run: (ctx) => chart(ctx, { project_id: ctx.project.id }, ctx.params),
})

export const chartUserEvents = endpoint('GET /-/users/:id/events/charts', {
  summary: 'Count the contribution events of a user by day or week',
  can: 'anyone',
  params: { id: text({ max: 255 }).describe('Id or user name'), ...chartParams },
  returns: page(EventsOfDay, { paging: 'none' }),
  run: (ctx) => chartOfUser(ctx, ctx.params.id, ctx.params),
})
