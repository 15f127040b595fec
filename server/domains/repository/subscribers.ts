import { on, type Subscription } from '../../events/publish.ts'
import { ProjectCreated, ProjectUpdated, ProjectDeleted } from '../projects/events.ts'
import { RefsUpdated, StatisticsUpdated } from './events.ts'
import { refreshLanguages } from './languages/service.ts'
import { countPush, requestStatistics } from './service-upkeep.ts'
import { announceFirstCommit } from './service-refs.ts'
import { removeOrphanedKeys } from '../users/index.ts'

export const subscribers: Subscription[] = [
  on(ProjectCreated, 'repository.first_commit', announceFirstCommit, {
    only: (event) => event.initialize_with_readme,
  }),
  on(RefsUpdated, 'repository.statistics', (ctx, event) => {
    requestStatistics(ctx, event.project_id, event.source)
    if (event.part === 1) countPush(ctx, event.project_id)
  }),
  on(StatisticsUpdated, 'languages.refresh', (ctx, event) => refreshLanguages(ctx, event.project_id)),
  on(ProjectUpdated, 'languages.default_branch', (ctx, event) => {
    if (event.changed.includes('default_branch')) return refreshLanguages(ctx, event.project_id)
  }),

  // The links to deploy keys were deleted with the project. Keys without another project are deleted here.
  on(ProjectDeleted, 'deploy.remove_orphaned_keys', (ctx) => removeOrphanedKeys(ctx.db)),
]
