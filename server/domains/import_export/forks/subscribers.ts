import { on, type Subscription } from '../../../events/publish.ts'
import { ProjectTemplateScheduled } from '../../projects/events.ts'
import { copyRepository } from './jobs.ts'

export const subscribers: Subscription[] = [
  // These jobs use only two keys, so at most two copies run at a time.
  on(
    ProjectTemplateScheduled,
    'forks.copy_template',
    (ctx, event) => copyRepository(ctx, event.project_id, event.template_project_id),
    { key: (event) => `forks:${event.project_id % 2}` },
  ),
]
