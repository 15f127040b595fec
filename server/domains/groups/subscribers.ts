import { on, type Subscription } from '../../events/publish.ts'
import { removeAvatar } from '../storage/index.ts'
import { GroupDeleted } from './events.ts'

export const subscribers: Subscription[] = [
  on(GroupDeleted, 'groups.remove_avatar', (ctx, { group_id }) => removeAvatar(ctx, 'group', group_id)),
]
