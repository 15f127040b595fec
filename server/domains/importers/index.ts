import { domain } from '../../domain.ts'
import { jobs as bitbucketServerJobs } from './bitbucket_server/jobs.ts'
import { jobs as folderJobs } from './folders/fill.ts'
import { jobs as githubJobs } from './github/jobs.ts'
import { subscribers } from './hosts/run.ts'

export { type FolderKind } from './folders/fill.ts'
export { fillFromFolder } from './folders/service.ts'

export const importersDomain = domain({
  name: 'importers',
  endpoints: () =>
    Promise.all([
      import('./folders/routes.ts'),
      import('./github/routes.ts'),
      import('./bitbucket_server/routes.ts'),
    ]),
  jobs: [...folderJobs, ...githubJobs, ...bitbucketServerJobs],
  subscribers,
})
