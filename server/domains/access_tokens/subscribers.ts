import { on } from '../../events/publish.ts'
import { TokenRevoked, TokenRotated } from '../auth/events.ts'
import { GroupDeleted } from '../groups/events.ts'
import { ProjectDeleted } from '../projects/events.ts'
import { retireIfUnused, retireOrphans, stayWithToken } from './bots.ts'

export const subscribers = [
  // A bot's own token can be revoked as any other; nothing is left of the bot then.
  on(TokenRevoked, 'access_tokens.retire_unused_bot', (ctx, { user_id }) => retireIfUnused(ctx, user_id)),
  // A bot may put a new token in the place of its own.
  on(TokenRotated, 'access_tokens.stay_with_token', (ctx, { user_id, token_id }) =>
    stayWithToken(ctx, user_id, token_id),
  ),
  on(ProjectDeleted, 'access_tokens.retire_bots_of_project', retireOrphans),
  on(GroupDeleted, 'access_tokens.retire_bots_of_group', retireOrphans),
]
