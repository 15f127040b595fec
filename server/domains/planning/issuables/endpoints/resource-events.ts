import { endpoint, type Endpoint } from '../../../../http/endpoint.ts'
import { int } from '../../../../http/params.ts'
import { ok, page } from '../../../../http/returns.ts'
import { Failure } from '../../../../lib/fail.ts'
import { project } from '../../../projects/index.ts'
import { ResourceLabelEvent, ResourceMilestoneEvent, ResourceStateEvent } from '../entity.ts'
import type { IssuableContext, IssuableKind } from '../kind.ts'
import { eventOf, findEvents, type Resource } from '../resource-events.ts'

const KINDS = [
  ['label', ResourceLabelEvent, 'labels were given and taken'],
  ['milestone', ResourceMilestoneEvent, 'the milestone changed'],
  ['state', ResourceStateEvent, 'the state changed'],
] as const

/** `GET …/resource_label_events`, `…_milestone_events`, `…_state_events` and single ones of one kind (spec core 5.2). */
export function resourceEventEndpoints(kind: IssuableKind): Endpoint[] {
  return KINDS.flatMap(([resource, view, what]) => {
    const at = `/projects/:id${kind.path}/resource_${resource}_events` as const
    const common = { scope: project, can: kind.read }
    return [
      endpoint(`GET ${at}`, {
        summary: `List when ${what} of a ${kind.title}`,
        ...common,
        params: kind.params,
        returns: page(view),
        run: (context) => {
          const ctx = context as unknown as IssuableContext<unknown>
          return findEvents(ctx, kind.load(ctx, ctx.project, ctx.params), resource, ctx.paging)
        },
      }),
      endpoint(`GET ${at}/:event_id`, {
        summary: `Get one time that ${what} of a ${kind.title}`,
        ...common,
        params: { ...kind.params, event_id: int().describe('Id of the event') },
        returns: ok(view),
        run: (context) => single(context as unknown as IssuableContext<{ event_id: number }>, kind, resource),
      }),
    ]
  })
}

function single(ctx: IssuableContext<{ event_id: number }>, kind: IssuableKind, resource: Resource) {
  const issuable = kind.load(ctx, ctx.project, ctx.params)
  const found = eventOf(ctx, issuable, resource, ctx.params.event_id)
  if (!found) throw new Failure('not_found', '404 Not found')
  return found
}
