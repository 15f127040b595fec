import { on, type Subscription } from '../../events/facts.ts'
import { ProjectCreated } from '../projects/events.ts'
import { RefsUpdated } from './events.ts'
import { countPush } from './housekeeping.ts'
import { tellFirstCommit } from './refs-updated.ts'
import { requestStatistics } from './statistics.ts'

export const subscribers: Subscription[] = [
  on(ProjectCreated, 'repository.first_commit', (ctx, fact) => {
    if (fact.initialize_with_readme) return tellFirstCommit(ctx, fact)
  }),
  // Several parts of one push, and several pushes in a row, are counted once.
  on(RefsUpdated, 'repository.statistics', (ctx, fact) => {
    requestStatistics(ctx, fact.project_id, fact.source)
    if (fact.part === 1) countPush(ctx, fact.project_id)
  }),
]
