import { domain } from '../../domain.ts'
import * as activityRoutes from './routes.ts'
import { subscribers as activitySubscribers } from './subscribers.ts'

export const activityDomain = domain({
  name: 'activity',
  routes: [activityRoutes],
  subscribers: activitySubscribers,
  reloads: { activity: ['/events', 'projects/:id/events', 'users/:id/events'] },
})
