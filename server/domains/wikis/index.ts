import { domain } from '../../domain.ts'
import { openWiki } from './git-target.ts'
import { wikiVisibility } from './visibility.ts'
import { jobs as wikiJobs } from './jobs.ts'
import * as wikiMarkupRoutes from './markup/routes.ts'
import * as wikiRoutes from './routes.ts'
import { finishWikis } from './repository.ts'
import { subscribers as wikiSubscribers } from './subscribers.ts'
import * as wikiWebRoutes from './web-routes.ts'
import * as wikiWindowRoutes from './window/routes.ts'

export { abilities as wikiAbilities, groupAbilities as groupWikiAbilities } from './policy.ts'
export { reading as readWiki } from './pages.ts'
export { fillWiki } from './filling.ts'
export { readingOf as wikiRepository, repoOfWiki } from './repository.ts'
export { byId as wikiById, ofGroup as wikiOfGroup, ofProject as wikiOfProject } from './store.ts'
export { firstWikiPage, wikiText } from './event.ts'
export { groupWikiPlace, ownerPath, wikiAddress, wikiPlaceOf, type WikiOwner, type WikiRow } from './wiki.ts'

export const wikisDomain = domain({
  name: 'wikis',
  subjects: { wiki_id: 'wikis' },
  recover: { rest: finishWikis },
  routes: [wikiRoutes, wikiWindowRoutes, wikiMarkupRoutes, wikiWebRoutes],
  subscribers: wikiSubscribers,
  jobs: wikiJobs,
  gitTargets: [openWiki],
  visibleTo: wikiVisibility,
})
