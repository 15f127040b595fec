import { on, type Subscription } from '../../events/facts.ts'
import { ProjectImportScheduled } from '../projects/events.ts'
import { importRepository } from './service.ts'

/** At most two at a time: a slow one must not keep all other background work waiting. */
const LANES = 2

export const subscribers: Subscription[] = [
  on(ProjectImportScheduled, 'imports.clone', (ctx, fact) => importRepository(ctx, fact.project_id), {
    key: (fact) => `imports:${fact.project_id % LANES}`,
  }),
]
