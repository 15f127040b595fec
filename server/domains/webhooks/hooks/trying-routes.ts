import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { EVENT_UUID_HEADER } from '../../../http/aliases.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { choice, int, text } from '../../../http/params.ts'
import { created, ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { HookLogEntry } from '../deliveries/entity.ts'
import { deliveriesOf, deliveryOf, MOST_DELIVERIES } from '../deliveries/log.ts'
import type { LogFilter } from '../deliveries/store.ts'
import { hook_id, ofGroup, ofInstance, ofProject, type Owned } from './owned.ts'
import { EVENTS } from './owner.ts'
import { findHook } from './service.ts'
import { resend, SAMPLE, tryHook, trySample } from './trying.ts'

/** What a webhook was tried with. */
const Tried = entity('HookTried', { message: z.string() }, (row: { message: string }) => row)

const Resent = entity('HookResent', { response_status: z.int() }, (row: { response_status: number }) => row)

/** The event that system hooks are tried with. */
const SystemSample = entity(
  'SystemHookSample',
  {
    event_name: z.string(),
    name: z.string(),
    path: z.string(),
    project_id: z.int(),
    owner_name: z.string(),
    owner_email: z.string(),
  },
  (row: typeof SAMPLE) => row,
)

/** A receiver is not to be kept busy by trying it; counted for each owner (spec administration 3.6). */
const limit = {
  max: 5,
  per: 60,
  by: ({ params }: { params: Readonly<Record<string, unknown>> }) => String(params['id'] ?? ''),
}

const hook_event_id = int({ min: 1 }).describe('Id of the entry of the log')

type WithHook = Ctx & { params: { hook_id: number } }

function hookIn(owned: Owned, ctx: unknown) {
  const { params, ...rest } = ctx as WithHook
  return findHook(rest, owned.placeOf(ctx as object), params.hook_id)
}

function testEndpoint(owned: Owned): Endpoint {
  return endpoint(`POST ${owned.at}/:hook_id/test/:trigger`, {
    ...owned.access,
    summary: `Try a webhook of ${owned.of}`,
    params: { hook_id, trigger: choice(...EVENTS[owned.kind]).describe('What it is tried with') },
    limit,
    fails: {
      422: 'There is nothing to try it with, or the receiver did not take it',
      429: 'Tried too often',
    },
    returns: created(Tried),
    run: async (ctx) => {
      const { trigger } = ctx.params as { trigger: string }
      await tryHook(ctx, hookIn(owned, ctx), owned.testOwner(ctx), trigger)
      return { message: '201 Created' }
    },
  })
}

const CLASSES: Readonly<Record<string, LogFilter>> = {
  successful: { from: 200, to: 299 },
  client_failure: { from: 400, to: 499 },
  server_failure: { from: 500, to: 599 },
  no_answer: { unanswered: true },
}

function filterOf(status: string | undefined): LogFilter {
  if (status === undefined || status === '') return {}
  if (/^[1-5]\d\d$/.test(status)) return { from: Number(status), to: Number(status) }
  if (!Object.hasOwn(CLASSES, status)) throw fail('parameter', 'status does not have a valid value')
  return CLASSES[status]!
}

function logEndpoints(owned: Owned): Endpoint[] {
  return [
    endpoint(`GET ${owned.at}/:hook_id/events`, {
      ...owned.access,
      summary: `List what was sent to a webhook of ${owned.of} in the last days`,
      params: {
        hook_id,
        status: text()
          .optional()
          .describe('Status of the answer, or `successful`, `client_failure`, `server_failure`, `no_answer`'),
      },
      returns: page(HookLogEntry, { most: MOST_DELIVERIES }),
      run: (ctx) => {
        const { status } = ctx.params as { status?: string }
        const row = hookIn(owned, ctx)
        return deliveriesOf(ctx, { hook_id: row.id }, ctx.paging, filterOf(status))
      },
    }),
    endpoint(`GET ${owned.at}/:hook_id/events/:hook_event_id`, {
      ...owned.access,
      summary: `Get what was sent to a webhook of ${owned.of}`,
      params: { hook_id, hook_event_id },
      returns: ok(HookLogEntry),
      run: (ctx) => {
        const { hook_event_id: id } = ctx.params as { hook_event_id: number }
        return deliveryOf(ctx, { hook_id: hookIn(owned, ctx).id }, id)
      },
    }),
    endpoint(`POST ${owned.at}/:hook_id/events/:hook_event_id/resend`, {
      ...owned.access,
      summary: `Send again what was sent to a webhook of ${owned.of}`,
      params: { hook_id, hook_event_id },
      limit,
      fails: { 422: 'There was no answer', 429: 'Sent too often' },
      returns: created(Resent),
      run: async (ctx) => {
        const { hook_event_id: id } = ctx.params as { hook_event_id: number }
        return { response_status: await resend(ctx, hookIn(owned, ctx), id, EVENT_UUID_HEADER) }
      },
    }),
  ]
}

export const trying = [testEndpoint(ofProject), testEndpoint(ofGroup)]

export const logs = [ofProject, ofGroup, ofInstance].flatMap(logEndpoints)

export const sample = endpoint('POST /hooks/:hook_id', {
  can: 'admin',
  summary: 'Send a sample to a webhook of the instance',
  params: { hook_id },
  returns: created(SystemSample),
  run: async (ctx) => {
    await trySample(ctx, hookIn(ofInstance, ctx))
    return SAMPLE
  },
})
