import { domain } from '../../domain.ts'
import { groupEvents } from '../groups/index.ts'
import { projectEvents } from '../projects/index.ts'
import { subscribers as webhookCiSubscribers } from './ci-subscribers.ts'
import { crons as deliveryCrons, jobs as deliveryJobs } from './deliveries/jobs.ts'
import { subscribers as deliverySubscribers } from './deliveries/subscribers.ts'
import { subscribers as webhookPlanningSubscribers } from './planning-subscribers.ts'
import { abilities, groupAbilities } from './policy.ts'
import { subscribers as webhookSystemSubscribers } from './system-subscribers.ts'

export { HookLogEntry } from './deliveries/entity.ts'
export { deliveriesOf, logDelivery, MAX_DELIVERIES, type LoggedDelivery } from './deliveries/log.ts'
export { sendRequest } from './deliveries/send.ts'
export type { DeliveryResult } from './deliveries/types.ts'
export { FLAGS, KINDS, type HookEvent, type Kind } from './recording/hook-event.ts'
export { eventOf as hookEventOf, hasListenerFor, record } from './recording/service.ts'
export { hasIntegration } from './recording/store.ts'
export { testEvent } from './payloads/testing.ts'

export const webhooksDomain = domain({
  name: 'webhooks',
  endpoints: () => Promise.all([import('./hooks/routes.ts'), import('./hooks/testing-routes.ts')]),
  subscribers: [
    ...deliverySubscribers,
    ...webhookPlanningSubscribers,
    ...webhookCiSubscribers,
    ...webhookSystemSubscribers,
  ],
  jobs: deliveryJobs,
  crons: deliveryCrons,
  visibleTo: [
    projectEvents(['hook_id', 'event_id'], abilities.manage_hooks),
    groupEvents(['hook_id', 'event_id', 'integration_id'], groupAbilities.manage_group_hooks),
  ],
  reloads: {
    hook: ['hooks', 'integrations'],
    // Deliveries have events of their own.
    hook_event: [],
  },
})
