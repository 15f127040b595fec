import { domain } from '../../domain.ts'
import { eventsOfGroups } from './visibility.ts'
import { crons as groupsCrons } from './jobs.ts'
import * as groupsRoutes from './routes.ts'
import { subscribers as groupsSubscribers } from './subscribers.ts'

export type { Group } from './group.ts'
export { findGroup, group } from './scope.ts'
export { abilities, abilities as groupAbilities } from './policy.ts'
export { createGroup } from './create.ts'
export { mayCreate as mayCreateGroup } from './rules.ts'
export { deleteGroup } from './deletion.ts'
export { updateGroup } from './update.ts'
export { findGroups } from './listing.ts'

export { groupEvents } from './visibility.ts'
export const groupsDomain = domain({
  name: 'groups',
  subjects: { group_id: 'namespaces' },
  routes: [groupsRoutes],
  crons: groupsCrons,
  subscribers: groupsSubscribers,
  visibleTo: [eventsOfGroups],
})
