import { domain } from '../../domain.ts'
import { eventsOfGroups } from './visibility.ts'
import { crons as groupsCrons } from './service-deletion.ts'
import { on } from '../../events/publish.ts'
import { removeAvatar } from '../storage/index.ts'
import { GroupDeleted } from './events.ts'

export type { Group } from './types.ts'
export { findGroup, group, abilities, abilities as groupAbilities } from './policy.ts'
export { createGroup, updateGroup } from './service.ts'
export { mayCreate as mayCreateGroup } from './validation.ts'
export { deleteGroup } from './service-deletion.ts'
export { findGroups } from './store-list.ts'

export { groupEvents } from './visibility.ts'
export const groupsDomain = domain({
  name: 'groups',
  subjects: { group_id: 'namespaces' },
  endpoints: () => import('./routes.ts'),
  crons: groupsCrons,
  subscribers: [
    on(GroupDeleted, 'groups.remove_avatar', (ctx, { group_id }) => removeAvatar(ctx, 'group', group_id)),
  ],
  visibleTo: [eventsOfGroups],
  reloads: { group: ['groups', 'namespaces', '+subgroups', '+descendant_groups'] },
})
