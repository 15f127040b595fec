import { domain } from '../../domain.ts'
import * as auditRoutes from './audit/routes.ts'
import * as featureRoutes from './features/routes.ts'
import * as licenseRoutes from './license/routes.ts'
import { jobs as maintenanceJobs, crons as maintenanceCrons } from './maintenance/jobs.ts'
import * as maintenanceRoutes from './maintenance/routes.ts'
import * as metricsRoutes from './metrics/web.ts'
import * as overviewRoutes from './overview/routes.ts'
import * as queueRoutes from './queues/routes.ts'
import { jobs as storageMoveJobs } from './storage_moves/jobs.ts'
import * as storageMoveRoutes from './storage_moves/routes.ts'
import { subscribers as storageMoveSubscribers } from './subscribers.ts'
import * as usageRoutes from './usage/routes.ts'

export const adminDomain = domain({
  name: 'admin',
  routes: [
    featureRoutes,
    licenseRoutes,
    queueRoutes,
    usageRoutes,
    overviewRoutes,
    metricsRoutes,
    storageMoveRoutes,
    maintenanceRoutes,
    auditRoutes,
  ],
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
