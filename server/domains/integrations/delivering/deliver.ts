import type { Ctx } from '../../../ctx.ts'
import { type Project, projectById } from '../../projects/index.ts'
import { type HookEvent, hookEventOf, type SentOut } from '../../webhooks/index.ts'
import { openSettings, wants } from '../settings.ts'
import * as store from '../store.ts'
import type { Delivery } from './delivery.ts'
import { passes } from './filters.ts'
import { VENDORS } from './vendors.ts'

/** Tells an integration of an event; what comes of it is in its log, and nothing is tried again. */
export async function deliver(ctx: Ctx, integrationId: number, eventId: number): Promise<void> {
  const row = store.byId(ctx.db, integrationId)
  const event = hookEventOf(ctx, eventId)
  const project = row && projectById(ctx.db, row.project_id)
  // Gone, or switched off since.
  if (!project || !event || !wants(row, event.kind)) return
  const payload = JSON.parse(event.payload) as HookEvent['payload']
  await tell(deliveryOf(ctx, project, row, { kind: event.kind, payload }, eventId))
}

/** An event for an integration; without its row it is a trial. */
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

/** Sends what there is to send. */
export async function tell(delivery: Delivery): Promise<readonly SentOut[]> {
  const vendor = VENDORS.get(delivery.row.slug)
  return vendor && passes(delivery) ? vendor(delivery) : []
}
