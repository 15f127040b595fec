import { on, type Subscription } from '../../events/publish.ts'
import { ProjectTemplateScheduled } from '../projects/events.ts'
import { copyRepository } from './jobs.ts'

export const subscribers: Subscription[] = [
  // In the same lanes as forks: at most two copies at a time.
  on(
    ProjectTemplateScheduled,
    'forks.copy_template',
    (ctx, event) => copyRepository(ctx, event.project_id, event.template_project_id),
    { key: (event) => `forks:${event.project_id % 2}` },
  ),
]
