import { on, type Subscription } from '../../events/facts.ts'
import { UserCreated, UserUpdated } from '../users/events.ts'
import { acceptInvitations } from './invitations/service.ts'

/** Addresses come with accounts, and later by being confirmed. */
export const subscribers: Subscription[] = [
  on(UserCreated, 'members.accept_invitations', (ctx, fact) => acceptInvitations(ctx, fact.user_id)),
  on(UserUpdated, 'members.accept_late_invitations', (ctx, fact) => acceptInvitations(ctx, fact.user_id)),
]
