import { domain } from '../../domain.ts'
import { on } from '../../events/publish.ts'
import { cron } from '../../jobs/job.ts'
import { ProjectDeleted } from '../projects/events.ts'
import { SnippetDeleted } from './events.ts'
import { openSnippet, settlePush } from './service-git-target.ts'
import { removeFromStorage, removeOfProject } from './service-repository.ts'
import { removeUnfinished } from './service.ts'
import * as snippetWebRoutes from './web-routes.ts'

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
  endpoints: () => Promise.all([import('./routes.ts'), import('./raw-routes.ts')]),
  webRoutes: [snippetWebRoutes],
  subscribers: [
    on(SnippetDeleted, 'snippets.remove_repository', removeFromStorage),
    on(ProjectDeleted, 'snippets.remove_of_project', removeOfProject),
  ],
  jobs: [settlePush],
  crons: [cron('snippets.remove_unfinished', '25 3 * * *', (ctx) => removeUnfinished(ctx))],
  gitTargets: [openSnippet],
  recover: { rest: (ctx) => removeUnfinished(ctx, ctx.now) },
  reloads: { snippet: ['owner', 'snippets'] },
})
