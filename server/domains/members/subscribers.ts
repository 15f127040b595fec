import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { EmailAdded, UserCreated, UserStateChanged, UserUpdated } from '../users/events.ts'
import { acceptInvitations } from './service-invitations.ts'

const accept = (ctx: Ctx, event: { user_id: number }): void => acceptInvitations(ctx, event.user_id)

/**
 * Accepts the invitations of a user when an email address is added or confirmed, and when the account becomes active.
 */
export const subscribers: Subscription[] = [
  on(UserCreated, 'members.accept_invitations', accept),
  on(UserUpdated, 'members.accept_after_update', accept),
  on(UserStateChanged, 'members.accept_when_active', accept),
  on(EmailAdded, 'members.accept_at_new_address', accept),
]
