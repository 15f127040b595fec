import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { job, type Job } from '../../../jobs/job.ts'
import { type Project, projectById } from '../../projects/index.ts'
import { type HookEvent, hookEventOf, type SentOut } from '../../webhooks/index.ts'
import { openSettings, wants } from '../settings.ts'
import * as store from '../store.ts'
import type { Delivery } from './channel.ts'
import { passes } from './filters.ts'
import { VENDORS } from './vendors/index.ts'

/** Sends one event to one integration. Failures are logged and never retried (spec administration 3.5). */
export const deliverToOne = job(
  'integrations.deliver',
  { args: { integration_id: z.number(), event_id: z.number() }, retries: 0, lane: 'outside' },
  (ctx, { integration_id, event_id }) => deliver(ctx, integration_id, event_id),
)

export const jobs: Job[] = [deliverToOne as Job]

async function deliver(ctx: Ctx, integrationId: number, eventId: number): Promise<void> {
  const row = store.byId(ctx.db, integrationId)
  const event = hookEventOf(ctx, eventId)
  const project = row && projectById(ctx.db, row.project_id)
  // The integration was deleted or deactivated meanwhile.
  if (!project || !event || !wants(row, event.kind)) return
  const payload = JSON.parse(event.payload) as HookEvent['payload']
  await sendDelivery(deliveryOf(ctx, project, row, { kind: event.kind, payload }, eventId))
}

/** A delivery of an event to an integration. Without `eventId` it is a test. */
export function deliveryOf(
  ctx: Ctx,
  project: Project,
  row: store.IntegrationRow,
  event: Pick<HookEvent, 'kind' | 'payload'>,
  eventId?: number,
): Delivery {
  const { kind, payload } = event
  const settings = openSettings(ctx, row)
  return { ctx, project, row, settings, kind, payload, event_id: eventId, is_test: eventId === undefined }
}

/** Sends a delivery that passes the filters of the integration. Returns one entry for each request. */
export async function sendDelivery(delivery: Delivery): Promise<readonly SentOut[]> {
  const vendor = VENDORS.get(delivery.row.slug)
  return vendor && passes(delivery) ? vendor(delivery) : []
}
