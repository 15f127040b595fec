import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { job, type Job, enqueue } from '../../../jobs/job.ts'
import { deploymentOf } from '../../ci/index.ts'
import { type Project, projectById, protectionsOf } from '../../projects/index.ts'
import { protecting } from '../../repository/index.ts'
import {
  type HookEvent,
  hookEventOf,
  type DeliveryResult,
  hasIntegration,
  type Kind,
} from '../../webhooks/index.ts'
import { catalogueOf } from '../catalogue/index.ts'
import { openSettings, listensTo } from '../settings.ts'
import * as store from '../store.ts'
import { type Delivery, listOf, textOf } from './channel.ts'
import {
  type DeploymentPayload,
  type IssuablePayload,
  type LabelPart,
  type NotePayload,
  payloadOf,
  type PipelinePayload,
  type PushPayload,
  shortRef,
} from './payload.ts'
import { VENDORS } from './vendors/index.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { HookEventRecorded } from '../../webhooks/events.ts'

/**
 * True if an event passes the filters of the integration (spec administration 3.4). A filter applies only if the
 * integration has its setting. Tests skip all filters.
 */
function passesFilters(delivery: Delivery): boolean {
  if (delivery.is_test) return true
  return (
    passesAction(delivery) && passesBranch(delivery) && passesPipeline(delivery) && passesLabels(delivery)
  )
}

/** Chats get issues and merge requests that are opened, closed or reopened, but no updates. */
function passesAction(delivery: Delivery): boolean {
  const { kind, row } = delivery
  if (kind !== 'issue' && kind !== 'confidential_issue' && kind !== 'merge_request') return true
  if (catalogueOf(row.slug).family !== 'chat') return true
  return payloadOf<IssuablePayload>(delivery).object_attributes.action !== 'update'
}

function passesBranch(delivery: Delivery): boolean {
  const { settings, kind } = delivery
  if ('restrict_to_branch' in settings && kind === 'push') return matchesRestriction(delivery)
  const choice = settings['branches_to_be_notified']
  if (!choice || choice === 'all') return true
  const branch = branchOf(delivery)
  if (branch === undefined) return true
  const isDefault = branch === delivery.project.default_branch
  if (choice === 'default') return isDefault
  return isProtected(delivery, branch) || (choice === 'default_and_protected' && isDefault)
}

function matchesRestriction(delivery: Delivery): boolean {
  const names = listOf(delivery, 'restrict_to_branch', /,/)
  return names.length === 0 || names.includes(shortRef(payloadOf<PushPayload>(delivery).ref))
}

function isProtected({ ctx, project }: Delivery, branch: string): boolean {
  return protecting(protectionsOf(ctx.db, project.id), branch).length > 0
}

/** Returns the branch of an event. Undefined for tags and for events without a branch. */
function branchOf(delivery: Delivery): string | undefined {
  if (delivery.kind === 'push') return shortRef(payloadOf<PushPayload>(delivery).ref)
  if (delivery.kind === 'pipeline') {
    const { ref, tag } = payloadOf<PipelinePayload>(delivery).object_attributes
    return tag ? undefined : ref
  }
  if (delivery.kind !== 'deployment') return undefined
  const { deployment_id, ref } = payloadOf<DeploymentPayload>(delivery)
  return deploymentOf(delivery.ctx, delivery.project, deployment_id)?.tag ? undefined : ref
}

/** Chats get only finished pipelines. A setting adds the successful ones. */
function passesPipeline(delivery: Delivery): boolean {
  if (delivery.kind !== 'pipeline' || !('notify_only_broken_pipelines' in delivery.settings)) return true
  const { status } = payloadOf<PipelinePayload>(delivery).object_attributes
  return status === 'failed' || (status === 'success' && !delivery.settings['notify_only_broken_pipelines'])
}

/** `~bug, ~"needs docs"` */
const LABEL = /~?(?:"([^"]*)"|([^,\s"~][^,"~]*))/g

function passesLabels(delivery: Delivery): boolean {
  const notifiedLabels = [...textOf(delivery, 'labels_to_be_notified').matchAll(LABEL)].flatMap(
    ([, quoted, bare = '']) => (quoted ?? bare).trim() || [],
  )
  const labels = labelsOf(delivery)
  if (notifiedLabels.length === 0 || labels === undefined) return true
  const titles = new Set(labels.map((label) => label.title))
  const mustMatchAll = delivery.settings['labels_to_be_notified_behavior'] === 'match_all'
  return mustMatchAll
    ? notifiedLabels.every((title) => titles.has(title))
    : notifiedLabels.some((title) => titles.has(title))
}

/** Returns the labels of an event's subject. Undefined for events without labels. */
function labelsOf(delivery: Delivery): readonly LabelPart[] | undefined {
  switch (delivery.kind) {
    case 'issue':
    case 'confidential_issue':
    case 'merge_request':
      return payloadOf<IssuablePayload>(delivery).labels ?? []
    case 'note':
    case 'confidential_note': {
      const { issue, merge_request } = payloadOf<NotePayload>(delivery)
      return issue?.labels ?? merge_request?.labels ?? []
    }
    default:
      return undefined
  }
}

/** Sends one event to one integration. Failures are logged and never retried (spec administration 3.5). */
const deliverToIntegration = job(
  'integrations.deliver',
  { args: { integration_id: z.number(), event_id: z.number() }, retries: 0, lane: 'outside' },
  (ctx, { integration_id, event_id }) => deliver(ctx, integration_id, event_id),
)

export const jobs: Job[] = [deliverToIntegration as Job]

async function deliver(ctx: Ctx, integrationId: number, eventId: number): Promise<void> {
  const row = store.byId(ctx.db, integrationId)
  const event = hookEventOf(ctx, eventId)
  const project = row && projectById(ctx.db, row.project_id)
  // The integration was deleted or deactivated in the meantime.
  if (!project || !event || !listensTo(row, event.kind)) return
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
export async function sendDelivery(delivery: Delivery): Promise<readonly DeliveryResult[]> {
  const vendor = VENDORS.get(delivery.row.slug)
  return vendor && passesFilters(delivery) ? vendor(delivery) : []
}

export const subscribers: Subscription[] = [
  on(
    HookEventRecorded,
    'integrations.dispatch',
    (ctx, { event_id, project_id, kind }) => {
      if (project_id !== undefined) dispatch(ctx, { event_id, project_id, kind: kind as Kind })
    },
    {
      only: ({ project_id, kind }, { db }) =>
        project_id !== undefined && hasIntegration(db, project_id, kind as Kind),
    },
  ),
]

/** Enqueues one job for every integration of the project that listens to an event (spec administration 3.4, step 1). */
function dispatch(ctx: Ctx, event: { event_id: number; project_id: number; kind: Kind }): void {
  for (const row of store.activeOf(ctx.db, event.project_id)) {
    if (!VENDORS.has(row.slug) || !listensTo(row, event.kind)) continue
    const args = { integration_id: row.id, event_id: event.event_id }
    // The key keeps the events of an integration in order, and limits a slow integration to one job runner.
    enqueue(ctx, deliverToIntegration, args, { key: `integration:${row.id}` })
  }
}
