import { on, type Subscription } from '../../../events/publish.ts'
import { ProjectUpdated } from '../../projects/events.ts'
import { StatisticsUpdated } from '../events.ts'
import { refreshLanguages } from './service.ts'

export const subscribers: Subscription[] = [
  // Several pushes in a row cause one run.
  on(StatisticsUpdated, 'languages.refresh', (ctx, event) => refreshLanguages(ctx, event.project_id)),
  on(ProjectUpdated, 'languages.default_branch', (ctx, event) => {
    if (event.changed.includes('default_branch')) return refreshLanguages(ctx, event.project_id)
  }),
]
