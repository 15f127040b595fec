import { on, type Subscription } from '../../events/facts.ts'
import { ProjectDeleted } from './events.ts'
import { removeFromStorage } from './repository.ts'

export const subscribers: Subscription[] = [
  on(ProjectDeleted, 'projects.remove_repository', removeFromStorage),
]
