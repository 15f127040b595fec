import { domain } from '../../domain.ts'
import { jobs as accountDeletionJobs } from './deletion/jobs.ts'
import * as accountDeletionRoutes from './deletion/routes.ts'
import * as accountEmailsRoutes from './emails/routes.ts'
import * as accountInsightsRoutes from './insights/routes.ts'
import { subscribers as accountMailSubscribers } from './mails/subscribers.ts'
import * as ownAccountRoutes from './own/routes.ts'
import * as accountsRoutes from './routes.ts'
import { crons as accountStateCrons } from './states/jobs.ts'
import * as accountStateRoutes from './states/routes.ts'

export { deleteUser } from './deletion/service.ts'
export { changeEmail, changeProfile } from './service.ts'
export { changeState } from './states/change.ts'
export { ghostOf } from './deletion/service.ts'

export const accountsDomain = domain({
  name: 'accounts',
  routes: [
    accountsRoutes,
    accountStateRoutes,
    accountDeletionRoutes,
    accountEmailsRoutes,
    accountInsightsRoutes,
    ownAccountRoutes,
  ],
  jobs: accountDeletionJobs,
  crons: accountStateCrons,
  subscribers: accountMailSubscribers,
})
