import { domain } from '../../domain.ts'
import { removeUnfinished as removeUnfinishedSnippets } from './service.ts'
import { openSnippet } from './git-target.ts'
import { jobs as snippetsJobs, crons as snippetsCrons } from './jobs.ts'
import * as snippetNotes from './note-routes.ts'
import * as personalSnippets from './personal-routes.ts'
import * as projectSnippets from './project-routes.ts'
import * as rawSnippets from './raw-routes.ts'
import { subscribers as snippetsSubscribers } from './subscribers.ts'

export {
  list as listSnippetRows,
  type SnippetFilter,
  byId as snippetById,
  byIds as snippetsByIds,
} from './store.ts'
export { viewsOf as snippetViews, createSnippet, type NewSnippet } from './service.ts'
export { fillSnippet, fillSnippetWith } from './filling.ts'
export { removeOfProject as removeSnippetRepositories, repoOfSnippet } from './repository.ts'
export { pathsOf as snippetPaths, type SnippetRow } from './snippet.ts'

export const snippetsDomain = domain({
  name: 'snippets',
  subjects: { snippet_id: 'snippets' },
  routes: [personalSnippets, projectSnippets, rawSnippets, snippetNotes],
  subscribers: snippetsSubscribers,
  jobs: snippetsJobs,
  crons: snippetsCrons,
  gitTargets: [openSnippet],
  recover: { rest: (ctx) => removeUnfinishedSnippets(ctx, ctx.now) },
})
