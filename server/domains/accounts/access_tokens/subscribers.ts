import { on } from '../../../events/publish.ts'
import { TokenRevoked, TokenRotated } from '../../auth/events.ts'
import { GroupDeleted } from '../../groups/events.ts'
import { ProjectDeleted } from '../../projects/events.ts'
import { retireIfUnused, retireOrphans, stayWithToken } from './service.ts'

export const subscribers = [
  // The token of a bot can be revoked like any other. Its bot is then retired.
  on(TokenRevoked, 'access_tokens.retire_unused_bot', (ctx, { user_id }) => retireIfUnused(ctx, user_id)),
  // A bot can rotate its own token.
  on(TokenRotated, 'access_tokens.stay_with_token', (ctx, { user_id, token_id }) =>
    stayWithToken(ctx, user_id, token_id),
  ),
  on(ProjectDeleted, 'access_tokens.retire_bots_of_project', retireOrphans),
  on(GroupDeleted, 'access_tokens.retire_bots_of_group', retireOrphans),
]
