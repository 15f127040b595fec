import { domain } from '../../domain.ts'
import { projectEvents } from '../projects/index.ts'
import { jobs as integrationJobs, subscribers as integrationSubscribers } from './delivering/jobs.ts'
import { abilities } from './policy.ts'

export const integrationsDomain = domain({
  name: 'integrations',
  endpoints: () =>
    Promise.all([
      import('./routes.ts'),
      import('./window/routes.ts'),
      import('./commands/routes.ts'),
      import('./chat_names/routes.ts'),
    ]),
  subscribers: integrationSubscribers,
  jobs: integrationJobs,
  visibleTo: [projectEvents(['integration_id'], abilities.manage_integrations)],
  reloads: { integration: ['integrations', 'services', 'outside'] },
})
