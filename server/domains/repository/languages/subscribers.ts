import { on, type Subscription } from '../../../events/facts.ts'
import { ProjectUpdated } from '../../projects/events.ts'
import { StatisticsUpdated } from '../events.ts'
import { refreshLanguages } from './service.ts'

export const subscribers: Subscription[] = [
  // Told once after a push, or after several in a row.
  on(StatisticsUpdated, 'languages.refresh', (ctx, fact) => refreshLanguages(ctx, fact.project_id)),
  on(ProjectUpdated, 'languages.default_branch', (ctx, fact) => {
    if (fact.changed.includes('default_branch')) return refreshLanguages(ctx, fact.project_id)
  }),
]
