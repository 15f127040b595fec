import type { Ctx } from '../../../ctx.ts'
import { endpoint, type Endpoint, type Shape } from '../../../http/endpoint.ts'
import { int, text } from '../../../http/params.ts'
import { created, ok, page, type Returns } from '../../../http/returns.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import type { Ability } from '../../../policy/ability.ts'
import { REPORTER } from '../../../policy/levels.ts'
import { project, type Project } from '../../projects/index.ts'
import { UserBasic } from '../../users/entity.ts'
import { ResourceLabelEvent, ResourceMilestoneEvent, ResourceStateEvent, TimeStats } from './entity.ts'
import type { Issuable, IssuableName } from './issuable.ts'
import { participantsOf, subscribe } from './store-participants.ts'
import { findEvent, findEvents } from './store-changes.ts'
import { parseDuration, addSpentTime, resetSpentTime, setEstimate } from './time.ts'

// Endpoints that issues and merge requests share (spec core 5.2, 6.3).

/** Describes issues or merge requests to the endpoints that both have. */
export interface IssuableKind {
  readonly name: IssuableName
  /** Path below the project, such as `/issues/:issue_iid`. */
  readonly path: string
  /** The name in summaries, such as `issue`. */
  readonly title: string
  /** The parameters in `path`. */
  readonly params: Shape
  readonly read: Ability<Project>
  /** The ability to subscribe. */
  readonly subscribe: Ability<Project>
  /** The ability to change estimates and spent time. */
  readonly plan: Ability<Project>
  /** Loads the record that the path names. Throws 404 if the actor may not see it. */
  load(ctx: Ctx, project: Project, params: Readonly<Record<string, unknown>>): Issuable
}

/** The answer to subscribing: the updated record. */
interface Answer<View> {
  readonly returns: Returns<View>
  show(ctx: Ctx, project: Project, id: number): View | Promise<View>
}

/** Declares `POST …/subscribe` and `…/unsubscribe`. */
export function subscriptionEndpoints<View>(kind: IssuableKind, { returns, show }: Answer<View>): Endpoint[] {
  const toggle = (verb: 'subscribe' | 'unsubscribe', summary: string): Endpoint =>
    endpoint(`POST /projects/:id${kind.path}/${verb}`, {
      summary,
      scope: project,
      can: kind.subscribe,
      params: kind.params,
      fails: { 304: 'The subscription already has this state' },
      returns,
      run: (ctx) => {
        const issuable = kind.load(ctx, ctx.project, ctx.params)
        if (!subscribe(ctx, issuable, verb === 'subscribe')) throw fail('not_modified')
        return show(ctx, ctx.project, issuable.id)
      },
    })
  return [
    toggle('subscribe', `Subscribe to notifications of a ${kind.title}`),
    toggle('unsubscribe', `Unsubscribe from notifications of a ${kind.title}`),
  ]
}

/** Declares `GET …/participants`. */
export function participantEndpoints(kind: IssuableKind): Endpoint[] {
  const list = endpoint(`GET /projects/:id${kind.path}/participants`, {
    summary: `List the participants of a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: kind.params,
    returns: page(UserBasic),
    run: (ctx) => {
      const seesInternal = ctx.actor.is_admin || project.roleOf(ctx, ctx.project) >= REPORTER
      const participants = participantsOf(ctx, kind.load(ctx, ctx.project, ctx.params), seesInternal)
      const { offset, limit } = ctx.paging
      return { rows: participants.slice(offset, offset + limit), total: participants.length }
    },
  })
  return [list]
}

const duration = text({ max: 255 }).describe('The duration, such as `1h 30m`')
const INVALID = 'The duration is invalid, or subtracts more than the time spent'

/** Declares the endpoints of estimates and time spent. */
export function timeEndpoints(kind: IssuableKind): Endpoint[] {
  const at = `/projects/:id${kind.path}` as const
  const common = { scope: project, can: kind.plan, fails: { 400: INVALID } }
  type Request = Ctx & { readonly project: Project; readonly params: Readonly<Record<string, unknown>> }
  const load = (ctx: Request): Issuable => kind.load(ctx, ctx.project, ctx.params)
  return [
    endpoint(`GET ${at}/time_stats`, {
      summary: `Get time tracking stats of a ${kind.title}`,
      scope: project,
      can: kind.read,
      params: kind.params,
      returns: ok(TimeStats),
      run: load,
    }),
    endpoint(`POST ${at}/time_estimate`, {
      summary: `Set a time estimate for a ${kind.title}`,
      ...common,
      params: { ...kind.params, duration },
      returns: ok(TimeStats),
      run: (ctx) => setEstimate(ctx, load(ctx), parseDuration(ctx.params.duration)),
    }),
    endpoint(`POST ${at}/reset_time_estimate`, {
      summary: `Reset the time estimate for a ${kind.title}`,
      ...common,
      params: kind.params,
      returns: ok(TimeStats),
      run: (ctx) => setEstimate(ctx, load(ctx), 0),
    }),
    endpoint(`POST ${at}/add_spent_time`, {
      summary: `Add spent time for a ${kind.title}`,
      ...common,
      params: {
        ...kind.params,
        duration,
        summary: text({ max: 255 }).optional().describe('A summary of how the time was spent'),
      },
      returns: created(TimeStats),
      run: (ctx) => {
        const issuable = load(ctx)
        const seconds = parseDuration(ctx.params.duration)
        if (seconds === undefined) throw fail('parameter', 'duration is invalid')
        return addSpentTime(ctx, issuable, { seconds, summary: ctx.params.summary })
      },
    }),
    endpoint(`POST ${at}/reset_spent_time`, {
      summary: `Reset spent time for a ${kind.title}`,
      ...common,
      params: kind.params,
      returns: ok(TimeStats),
      run: (ctx) => resetSpentTime(ctx, load(ctx)),
    }),
  ]
}

const RESOURCES = [
  ['label', ResourceLabelEvent],
  ['milestone', ResourceMilestoneEvent],
  ['state', ResourceStateEvent],
] as const

/** Declares the endpoints below `…/resource_label_events`, `…_milestone_events` and `…_state_events`. */
export function resourceEventEndpoints(kind: IssuableKind): Endpoint[] {
  return RESOURCES.flatMap(([resource, view]) => {
    const at = `/projects/:id${kind.path}/resource_${resource}_events` as const
    const common = { scope: project, can: kind.read }
    return [
      endpoint(`GET ${at}`, {
        summary: `List the ${resource} events of a ${kind.title}`,
        ...common,
        params: kind.params,
        returns: page(view),
        run: (ctx) => findEvents(ctx, kind.load(ctx, ctx.project, ctx.params), resource, ctx.paging),
      }),
      endpoint(`GET ${at}/:event_id`, {
        summary: `Get a ${resource} event of a ${kind.title}`,
        ...common,
        params: { ...kind.params, event_id: int().describe('The ID of the event') },
        returns: ok(view),
        run: (ctx) => {
          const issuable = kind.load(ctx, ctx.project, ctx.params)
          const event = findEvent(ctx, issuable, resource, ctx.params.event_id)
          if (!event) throw new Failure('not_found', '404 Not found')
          return event
        },
      }),
    ]
  })
}
