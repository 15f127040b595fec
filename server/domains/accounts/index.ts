import { domain } from '../../domain.ts'
import * as accessTokenRoutes from './access_tokens/routes.ts'
import { jobs as accountDeletionJobs } from './deletion/service.ts'
import * as accountInsightsRoutes from './insights/routes.ts'
import { subscribers as accountMailSubscribers } from './subscribers.ts'
import { groupEvents } from '../groups/index.ts'
import { scimAbilities } from './policy.ts'
import * as scimProtocolRoutes from './scim/protocol/routes.ts'
import * as scimWindowRoutes from './scim/window-routes.ts'
import * as accountsRoutes from './routes.ts'
import { crons as accountStateCrons } from './states/service.ts'

export { deleteUser, ensureGhost } from './deletion/service.ts'
export { changeEmail, changeProfile } from './service.ts'
export { changeState } from './states/change.ts'

export const accountsDomain = domain({
  name: 'accounts',
  routes: [accountsRoutes, accountInsightsRoutes, accessTokenRoutes, scimProtocolRoutes, scimWindowRoutes],
  jobs: accountDeletionJobs,
  crons: accountStateCrons,
  subscribers: [...accountMailSubscribers],
  visibleTo: [groupEvents(['extern_uid'], scimAbilities.manage_group_scim)],
  reloads: { access_token: ['owner', 'access_tokens', 'personal_access_tokens'], scim: ['scim'] },
})
