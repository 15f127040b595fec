import { domain } from '../../domain.ts'
import { crons as snippetsCrons, jobs as snippetsJobs } from './jobs.ts'
import * as rawSnippets from './raw-routes.ts'
import * as snippetRoutes from './routes.ts'
import { openSnippet } from './service-git-target.ts'
import { removeUnfinished as removeUnfinishedSnippets } from './service.ts'
import { subscribers as snippetsSubscribers } from './subscribers.ts'

export {
  list as listSnippetRows,
  type SnippetFilter,
  byId as snippetById,
  byIds as snippetsByIds,
  deleteSnippets,
  hideSnippets,
} from './store.ts'
export {
  createSnippet,
  fillSnippet,
  fillSnippetWithFile,
  viewsOf as snippetViews,
  type NewSnippet,
} from './service.ts'
export { removeOfProject as removeSnippetRepositories, repoOfSnippet } from './service-repository.ts'
export type { SnippetRow } from './types.ts'

export const snippetsDomain = domain({
  name: 'snippets',
  subjects: { snippet_id: 'snippets' },
  routes: [snippetRoutes, rawSnippets],
  subscribers: snippetsSubscribers,
  jobs: snippetsJobs,
  crons: snippetsCrons,
  gitTargets: [openSnippet],
  recover: { rest: (ctx) => removeUnfinishedSnippets(ctx, ctx.now) },
  reloads: { snippet: ['owner', 'snippets'] },
})
