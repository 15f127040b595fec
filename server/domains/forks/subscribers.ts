import { on, type Subscription } from '../../events/facts.ts'
import { ProjectTemplateScheduled } from '../projects/events.ts'
import { copyRepository } from './copy.ts'

export const subscribers: Subscription[] = [
  // In the same lanes as forks: at most two copies at a time.
  on(
    ProjectTemplateScheduled,
    'forks.copy_template',
    (ctx, fact) => copyRepository(ctx, fact.project_id, fact.template_project_id),
    { key: (fact) => `forks:${fact.project_id % 2}` },
  ),
]
