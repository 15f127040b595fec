import { domain } from '../../domain.ts'
import { jobs as bitbucketServerJobs } from './bitbucket_server/jobs.ts'
import * as bitbucketServerRoutes from './bitbucket_server/routes.ts'
import { jobs as folderJobs } from './folders/fill.ts'
import * as folderRoutes from './folders/routes.ts'
import { jobs as githubJobs } from './github/jobs.ts'
import * as githubRoutes from './github/routes.ts'
import { subscribers } from './hosts/run.ts'

export { type FolderKind } from './folders/fill.ts'
export { fillFromFolder } from './folders/service.ts'

export const importersDomain = domain({
  name: 'importers',
  routes: [folderRoutes, githubRoutes, bitbucketServerRoutes],
  jobs: [...folderJobs, ...githubJobs, ...bitbucketServerJobs],
  subscribers,
})
