import { domain } from '../../domain.ts'
import { jobs as accountDeletionJobs } from './deletion/service.ts'
import { subscribers as accountMailSubscribers } from './subscribers.ts'
import { groupEvents } from '../groups/index.ts'
import { scimAbilities } from './policy.ts'
import { crons as accountStateCrons } from './states/service.ts'

export { deleteUser, ensureGhost } from './deletion/service.ts'
export { changeEmail, changeProfile } from './service.ts'
export { changeState } from './states/change.ts'

export const accountsDomain = domain({
  name: 'accounts',
  endpoints: () =>
    Promise.all([
      import('./routes.ts'),
      import('./insights/routes.ts'),
      import('./access_tokens/routes.ts'),
      import('./scim/protocol/routes.ts'),
      import('./scim/window-routes.ts'),
    ]),
  jobs: accountDeletionJobs,
  crons: accountStateCrons,
  subscribers: [...accountMailSubscribers],
  visibleTo: [groupEvents(['extern_uid'], scimAbilities.manage_group_scim)],
  reloads: { access_token: ['owner', 'access_tokens', 'personal_access_tokens'], scim: ['scim'] },
})
