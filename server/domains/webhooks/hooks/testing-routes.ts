import { EVENT_UUID_HEADER } from '../../../lib/aliases.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { choice, int, text } from '../../../http/params.ts'
import { created, ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { HookLogEntry } from '../deliveries/entity.ts'
import { deliveriesOf, deliveryOf, MAX_DELIVERIES } from '../deliveries/log.ts'
import type { LogFilter } from '../deliveries/store.ts'
import { HookResent, HookTested, SystemHookSample } from './entity.ts'
import { EVENTS } from './hook.ts'
import {
  groupOwner,
  hook_id,
  type HookOwnerKind,
  instanceOwner,
  ownerIn,
  projectOwner,
  testOwnerIn,
} from './routes.ts'
import { findHook } from './service.ts'
import { resend, SAMPLE, sendSample, testHook } from './testing-service.ts'

/** Protects receivers from a flood of tests. The limit applies per owner (spec administration 3.6). */
const limit = {
  max: 5,
  per: 60,
  by: ({ params }: { params: Readonly<Record<string, unknown>> }) => String(params['id'] ?? ''),
}

const hook_event_id = int({ min: 1 }).describe('The ID of the webhook event')

function testEndpoint({ path, name, access, kind }: HookOwnerKind): Endpoint {
  return endpoint(`POST ${path}/:hook_id/test/:trigger`, {
    ...access,
    summary: `Test a ${name} webhook`,
    params: { hook_id, trigger: choice(...EVENTS[kind]).describe('The kind of event to send') },
    limit,
    fails: {
      422: 'There is no data for such an event, or the receiver refused it',
      429: 'Too many tests',
    },
    returns: created(HookTested),
    run: async (ctx) => {
      const row = findHook(ctx, ownerIn(ctx), ctx.params.hook_id)
      await testHook(ctx, row, testOwnerIn(ctx), ctx.params.trigger)
      return { message: '201 Created' }
    },
  })
}

const STATUS_CLASSES: Readonly<Record<string, LogFilter>> = {
  successful: { from: 200, to: 299 },
  client_failure: { from: 400, to: 499 },
  server_failure: { from: 500, to: 599 },
  no_answer: { unanswered: true },
}

function filterOf(status: string | undefined): LogFilter {
  if (status === undefined || status === '') return {}
  if (/^[1-5]\d\d$/.test(status)) return { from: Number(status), to: Number(status) }
  if (!Object.hasOwn(STATUS_CLASSES, status)) throw fail('parameter', 'status does not have a valid value')
  return STATUS_CLASSES[status]!
}

function logEndpoints({ path, name, access }: HookOwnerKind): Endpoint[] {
  return [
    endpoint(`GET ${path}/:hook_id/events`, {
      ...access,
      summary: `List ${name} webhook events`,
      params: {
        hook_id,
        status: text()
          .optional()
          .describe(
            'Filter by response status, or by `successful`, `client_failure`, `server_failure` or `no_answer`',
          ),
      },
      returns: page(HookLogEntry, { maxPerPage: MAX_DELIVERIES }),
      run: (ctx) => {
        const { hook_id: id, status } = ctx.params
        return deliveriesOf(
          ctx,
          { hook_id: findHook(ctx, ownerIn(ctx), id).id },
          ctx.paging,
          filterOf(status),
        )
      },
    }),
    endpoint(`GET ${path}/:hook_id/events/:hook_event_id`, {
      ...access,
      summary: `Get a ${name} webhook event`,
      params: { hook_id, hook_event_id },
      returns: ok(HookLogEntry),
      run: (ctx) => {
        const row = findHook(ctx, ownerIn(ctx), ctx.params.hook_id)
        return deliveryOf(ctx, { hook_id: row.id }, ctx.params.hook_event_id)
      },
    }),
    endpoint(`POST ${path}/:hook_id/events/:hook_event_id/resend`, {
      ...access,
      summary: `Resend a ${name} webhook event`,
      params: { hook_id, hook_event_id },
      limit,
      fails: { 422: 'The receiver did not answer', 429: 'Too many requests' },
      returns: created(HookResent),
      run: async (ctx) => {
        const row = findHook(ctx, ownerIn(ctx), ctx.params.hook_id)
        return { response_status: await resend(ctx, row, ctx.params.hook_event_id, EVENT_UUID_HEADER) }
      },
    }),
  ]
}

export const tests = [testEndpoint(projectOwner), testEndpoint(groupOwner)]

export const logs = [projectOwner, groupOwner, instanceOwner].flatMap(logEndpoints)

export const sample = endpoint('POST /hooks/:hook_id', {
  can: 'admin',
  summary: 'Send a sample event to a system hook',
  params: { hook_id },
  returns: created(SystemHookSample),
  run: async (ctx) => {
    await sendSample(ctx, findHook(ctx, ownerIn(ctx), ctx.params.hook_id))
    return SAMPLE
  },
})
