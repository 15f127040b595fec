import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { EmailAdded, UserCreated, UserStateChanged, UserUpdated } from '../users/events.ts'
import { acceptInvitations } from './invitations/service.ts'

const accept = (ctx: Ctx, event: { user_id: number }): void => acceptInvitations(ctx, event.user_id)

/** Addresses come with accounts, later by being added or confirmed, and count once the account is active. */
export const subscribers: Subscription[] = [
  on(UserCreated, 'members.accept_invitations', accept),
  on(UserUpdated, 'members.accept_after_update', accept),
  on(UserStateChanged, 'members.accept_when_active', accept),
  on(EmailAdded, 'members.accept_at_new_address', accept),
]
