import { domain } from '../../domain.ts'
import { jobs as maintenanceJobs, crons as maintenanceCrons } from './maintenance/jobs.ts'
import * as metricsRoutes from './metrics/web.ts'
import { jobs as storageMoveJobs } from './storage_moves/jobs.ts'
import { subscribers as storageMoveSubscribers } from './subscribers.ts'

export const adminDomain = domain({
  name: 'admin',
  endpoints: () =>
    Promise.all([
      import('./features/routes.ts'),
      import('./license/routes.ts'),
      import('./queues/routes.ts'),
      import('./usage/routes.ts'),
      import('./overview/routes.ts'),
      import('./storage_moves/routes.ts'),
      import('./maintenance/routes.ts'),
      import('./audit/routes.ts'),
    ]),
  webRoutes: [metricsRoutes],
  subscribers: [...storageMoveSubscribers],
  jobs: [...storageMoveJobs, ...maintenanceJobs],
  crons: maintenanceCrons,
  reloads: {
    storage_move: [
      'storage_moves',
      'repository_storage_moves',
      'project_repository_storage_moves',
      'group_repository_storage_moves',
      'snippet_repository_storage_moves',
      'storages',
    ],
    instance_feature: ['features'],
  },
})
