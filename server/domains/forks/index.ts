import { domain } from '../../domain.ts'
import { jobs as forksJobs } from './jobs.ts'
import * as forksRoutes from './routes.ts'
import { subscribers as forksSubscribers } from './subscribers.ts'

export const forksDomain = domain({
  name: 'forks',
  routes: [forksRoutes],
  jobs: forksJobs,
  subscribers: forksSubscribers,
})
