import { on, type Subscription } from '../../events/publish.ts'
import { ProjectCreated } from '../projects/events.ts'
import { RefsUpdated } from './events.ts'
import { countPush, requestStatistics } from './service-upkeep.ts'
import { tellFirstCommit } from './service-refs.ts'

export const subscribers: Subscription[] = [
  on(ProjectCreated, 'repository.first_commit', (ctx, event) => {
    if (event.initialize_with_readme) return tellFirstCommit(ctx, event)
  }),
  // Several parts of one push, and several pushes in a row, are counted once.
  on(RefsUpdated, 'repository.statistics', (ctx, event) => {
    requestStatistics(ctx, event.project_id, event.source)
    if (event.part === 1) countPush(ctx, event.project_id)
  }),
]
