import { endpoint, type Endpoint } from '../../../../http/endpoint.ts'
import type { AnyEntity } from '../../../../http/entity.ts'
import { created, page } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { REPORTER } from '../../../../policy/levels.ts'
import { project } from '../../../projects/index.ts'
import { UserBasic } from '../../../users/entity.ts'
import type { IssuableContext, IssuableKind } from '../kind.ts'
import { participantsOf } from '../participants.ts'
import { subscribe } from '../subscriptions.ts'

/** `POST …/subscribe` and `…/unsubscribe` of one kind (spec core 5.2, 6.3). */
export function subscriptionEndpoints(kind: IssuableKind): Endpoint[] {
  const one = (verb: 'subscribe' | 'unsubscribe', summary: string): Endpoint =>
    endpoint(`POST /projects/:id${kind.path}/${verb}`, {
      summary,
      scope: project,
      can: kind.subscribe,
      params: kind.params,
      fails: { 304: 'It is so already' },
      returns: created(kind.entity as AnyEntity),
      run: (context) => {
        const ctx = context as unknown as IssuableContext<unknown>
        const issuable = kind.load(ctx, ctx.project, ctx.params)
        if (!subscribe(ctx, issuable, verb === 'subscribe')) throw fail('not_modified')
        return kind.show(ctx, ctx.project, issuable.id) as never
      },
    })
  return [
    one('subscribe', `Hear of what happens to a ${kind.title}`),
    one('unsubscribe', `Hear no more of a ${kind.title}`),
  ]
}

/** `GET …/participants` of one kind. */
export function participantEndpoints(kind: IssuableKind): Endpoint[] {
  const list = endpoint(`GET /projects/:id${kind.path}/participants`, {
    summary: `List who takes part in a ${kind.title}`,
    scope: project,
    can: kind.read,
    params: kind.params,
    returns: page(UserBasic),
    run: (context) => {
      const ctx = context as unknown as IssuableContext<unknown>
      const seesInternal = ctx.actor.is_admin || project.roleOf(ctx, ctx.project) >= REPORTER
      const all = participantsOf(ctx, kind.load(ctx, ctx.project, ctx.params), seesInternal)
      const { offset, limit } = ctx.paging
      return { rows: all.slice(offset, offset + limit), total: all.length }
    },
  })
  return [list]
}
