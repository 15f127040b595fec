import { domain } from '../../domain.ts'
import { projectEvents } from '../projects/index.ts'
import { abilities } from './policy.ts'
import * as releaseWebRoutes from './addresses/web-routes.ts'
import { jobs as releaseJobs } from './jobs.ts'

export type { ReleaseLinkRow, ReleaseRow } from './types.ts'
export { byId as releaseById } from './store.ts'
export { linksOf } from './links/store.ts'
export { sourcesOf } from './addresses/paths.ts'
export * as importedReleases from './store-imported.ts'

export const releasesDomain = domain({
  name: 'releases',
  endpoints: () =>
    Promise.all([import('./routes.ts'), import('./links/routes.ts'), import('./addresses/routes.ts')]),
  webRoutes: [releaseWebRoutes],
  jobs: releaseJobs,
  visibleTo: [projectEvents(['release_id'], abilities.read_release_of_tag)],
  reloads: { release: ['releases', 'repository/tags'] },
})
