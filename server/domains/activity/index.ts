import { domain } from '../../domain.ts'
import { subscribers as activitySubscribers } from './subscribers.ts'

export const activityDomain = domain({
  name: 'activity',
  endpoints: () => import('./routes.ts'),
  subscribers: activitySubscribers,
  reloads: { activity: ['/events', 'projects/:id/events', 'users/:id/events'] },
})
