import { domain } from '../../domain.ts'
import { projectEvents } from '../projects/index.ts'
import * as chatNameRoutes from './chat_names/routes.ts'
import * as integrationCommandRoutes from './commands/routes.ts'
import { jobs as integrationJobs, subscribers as integrationSubscribers } from './delivering/jobs.ts'
import { abilities } from './policy.ts'
import * as integrationRoutes from './routes.ts'
import * as integrationWindowRoutes from './window/routes.ts'

export const integrationsDomain = domain({
  name: 'integrations',
  routes: [integrationRoutes, integrationWindowRoutes, integrationCommandRoutes, chatNameRoutes],
  subscribers: integrationSubscribers,
  jobs: integrationJobs,
  visibleTo: [projectEvents(['integration_id'], abilities.manage_integrations)],
  reloads: { integration: ['integrations', 'services', 'outside'] },
})
