import { on, type Subscription } from '../../events/publish.ts'
import { ProjectCreated, ProjectUpdated } from '../projects/events.ts'
import { RefsUpdated, StatisticsUpdated } from './events.ts'
import { refreshLanguages } from './languages/service.ts'
import { countPush, requestStatistics } from './service-upkeep.ts'
import { announceFirstCommit } from './service-refs.ts'

export const subscribers: Subscription[] = [
  on(ProjectCreated, 'repository.first_commit', (ctx, event) => {
    if (event.initialize_with_readme) return announceFirstCommit(ctx, event)
  }),
  on(RefsUpdated, 'repository.statistics', (ctx, event) => {
    requestStatistics(ctx, event.project_id, event.source)
    if (event.part === 1) countPush(ctx, event.project_id)
  }),
  on(StatisticsUpdated, 'languages.refresh', (ctx, event) => refreshLanguages(ctx, event.project_id)),
  on(ProjectUpdated, 'languages.default_branch', (ctx, event) => {
    if (event.changed.includes('default_branch')) return refreshLanguages(ctx, event.project_id)
  }),
]
