import { domain } from '../../domain.ts'
import { jobs as hostBJobs } from './bitbucket_server/jobs.ts'
import * as hostBRoutes from './bitbucket_server/routes.ts'
import * as hostBWindowRoutes from './bitbucket_server/window/routes.ts'
import { jobs as folderImportJobs } from './folders/jobs.ts'
import * as folderImportRoutes from './folders/routes.ts'
import { jobs as hostAJobs } from './github/jobs.ts'
import * as hostARoutes from './github/routes.ts'
import * as hostAWindowRoutes from './github/window/routes.ts'
import { subscribers as hostImportsSubscribers } from './hosts/subscribers.ts'

export const importersDomain = domain({
  name: 'importers',
  routes: [folderImportRoutes, hostARoutes, hostAWindowRoutes, hostBRoutes, hostBWindowRoutes],
  jobs: [...folderImportJobs, ...hostAJobs, ...hostBJobs],
  subscribers: hostImportsSubscribers,
})
