import { on, type Subscription } from '../../events/publish.ts'
import { SignedIn, TokenRevoked, TokenRotated } from '../auth/events.ts'
import { DownloadsExceeded } from '../repository/events.ts'
import { EmailChangeRequested, UserCreated, UserStateChanged } from '../users/events.ts'
import { isLastAdmin, userById } from '../users/index.ts'
import { changeState } from './states/change.ts'
import { mailDeactivation, mailDownloads, mailSignIn, sendConfirmation } from './mails/service.ts'
import { GroupDeleted } from '../groups/events.ts'
import { ProjectDeleted } from '../projects/events.ts'
import { deleteBotIfUnused, deleteOrphanedBots, extendBotMembership } from './access_tokens/service.ts'

/** Sends emails to users about their accounts, and deletes bots without tokens. */
export const subscribers: Subscription[] = [
  on(SignedIn, 'accounts.mail_sign_in', (ctx, { user_id, ip, at }) => mailSignIn(ctx, user_id, { ip, at }), {
    only: ({ is_known }) => !is_known,
  }),
  on(UserStateChanged, 'accounts.mail_deactivation', (ctx, { user_id }) => mailDeactivation(ctx, user_id), {
    only: ({ to }) => to === 'deactivated',
  }),
  on(UserCreated, 'accounts.confirm_new', (ctx, { user_id }) => sendConfirmation(ctx, user_id), {
    only: ({ user_id }, ctx) => userById(ctx.db, user_id)?.confirmed_at === null,
  }),
  on(EmailChangeRequested, 'accounts.confirm_change', (ctx, { user_id }) => sendConfirmation(ctx, user_id)),
  on(DownloadsExceeded, 'accounts.ban_downloader', (ctx, { user_id, count, is_banned }) => {
    const user = userById(ctx.db, user_id)
    if (user?.state === 'active' && is_banned && !isLastAdmin(ctx.db, user)) changeState(ctx, user, 'banned')
    mailDownloads(ctx, { user_id, count, is_banned })
  }),

  // The token of a bot may be revoked like any other token. Then the bot is deleted.
  on(TokenRevoked, 'access_tokens.retire_unused_bot', (ctx, { user_id }) => deleteBotIfUnused(ctx, user_id)),
  // A bot may rotate its own token. Its membership then expires with the new token.
  on(TokenRotated, 'access_tokens.stay_with_token', (ctx, { user_id, token_id }) =>
    extendBotMembership(ctx, user_id, token_id),
  ),
  on(ProjectDeleted, 'access_tokens.retire_bots_of_project', deleteOrphanedBots),
  on(GroupDeleted, 'access_tokens.retire_bots_of_group', deleteOrphanedBots),
]
