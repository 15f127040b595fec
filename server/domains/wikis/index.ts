import { domain } from '../../domain.ts'
import { groupEvents } from '../groups/index.ts'
import { projectEvents } from '../projects/index.ts'
import { jobs as wikiJobs } from './jobs.ts'
import { abilities, groupAbilities } from './policy.ts'
import { openWiki } from './service-git-target.ts'
import { finishWikis } from './service-repository.ts'
import { subscribers as wikiSubscribers } from './subscribers.ts'
import * as wikiWebRoutes from './web-routes.ts'

export { abilities as wikiAbilities, groupAbilities as groupWikiAbilities } from './policy.ts'
export { readWiki } from './service-pages.ts'
export { fillWiki } from './service.ts'
export { groupWikiDiskPath, wikiRepository, repoOfWiki, wikiDiskPath } from './service-repository.ts'
export {
  byId as wikiById,
  ofGroup as wikiOfGroup,
  ofProject as wikiOfProject,
  setStorage as setWikiStorage,
} from './store.ts'
export { firstWikiPage, wikiText } from './service-reading.ts'

export { ownerPath, wikiAddress, type WikiOwner, type WikiRow } from './types.ts'

/** Events about wikis name pages. */
const fields = ['wiki_page_id', 'pages']

export const wikisDomain = domain({
  name: 'wikis',
  subjects: { wiki_id: 'wikis' },
  recover: { rest: finishWikis },
  endpoints: () => Promise.all([import('./routes.ts'), import('./window/routes.ts')]),
  webRoutes: [wikiWebRoutes],
  subscribers: wikiSubscribers,
  jobs: wikiJobs,
  gitTargets: [openWiki],
  visibleTo: [
    projectEvents(fields, abilities.read_wiki),
    groupEvents(fields, groupAbilities.read_group_wiki),
  ],
  reloads: { wiki_page: ['wikis'], wiki: ['wikis'] },
})
