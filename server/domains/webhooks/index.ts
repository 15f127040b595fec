import { domain } from '../../domain.ts'
import { groupEvents } from '../groups/index.ts'
import { projectEvents } from '../projects/index.ts'
import { subscribers as webhookCiSubscribers } from './ci-subscribers.ts'
import { subscribers as webhookCodeSubscribers } from './code-subscribers.ts'
import { crons as deliveryCrons, jobs as deliveryJobs } from './deliveries/jobs.ts'
import { subscribers as deliverySubscribers } from './deliveries/subscribers.ts'
import { crons as webhookTokenCrons } from './expiring-tokens.ts'
import * as hookRoutes from './hooks/routes.ts'
import * as hookTryingRoutes from './hooks/trying-routes.ts'
import { subscribers as webhookPlanningSubscribers } from './planning-subscribers.ts'
import { abilities, groupAbilities } from './policy.ts'
import { subscribers as webhookSystemSubscribers } from './system-subscribers.ts'
import { subscribers as webhookWikiSubscribers } from './wiki-subscribers.ts'

export { HookLogEntry } from './deliveries/entity.ts'
export { deliveriesOf, deliveryOf, MOST_DELIVERIES } from './deliveries/log.ts'
export type { Order, SentOut, Target } from './deliveries/order.ts'
export { logSent, sendOut, type LoggedDelivery as Told } from './deliveries/send.ts'
export type { DeliveryWithBody } from './deliveries/store.ts'
export { FLAGS, KINDS, type HookEvent, type Kind } from './recording/hook-event.ts'
export { isListened, record } from './recording/record.ts'
export { eventOf as hookEventOf } from './recording/sealing.ts'
export { hasIntegration, type HookEventRow } from './recording/store.ts'
export { testEvent } from './payloads/testing.ts'

export const webhooksDomain = domain({
  name: 'webhooks',
  routes: [hookRoutes, hookTryingRoutes],
  subscribers: [
    ...deliverySubscribers,
    ...webhookCodeSubscribers,
    ...webhookPlanningSubscribers,
    ...webhookCiSubscribers,
    ...webhookSystemSubscribers,
    ...webhookWikiSubscribers,
  ],
  jobs: deliveryJobs,
  crons: [...deliveryCrons, ...webhookTokenCrons],
  visibleTo: [
    projectEvents(['hook_id', 'event_id'], abilities.manage_hooks),
    groupEvents(['hook_id', 'event_id', 'integration_id'], groupAbilities.manage_group_hooks),
  ],
})
