import { on, type Subscription } from '../../../events/publish.ts'
import { ProjectFirstContentScheduled } from '../../projects/events.ts'
import { beginTemplate, commitTemplate } from './first-commit.ts'

export const subscribers: Subscription[] = [
  on(ProjectFirstContentScheduled, 'project_templates.begin', beginTemplate, { inside: true }),
  on(ProjectFirstContentScheduled, 'project_templates.commit', commitTemplate),
]
