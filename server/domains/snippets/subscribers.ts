import { on, type Subscription } from '../../events/publish.ts'
import { ProjectDeleted } from '../projects/events.ts'
import { SnippetDeleted } from './events.ts'
import { removeFromStorage, removeOfProject } from './service-repository.ts'

export const subscribers: Subscription[] = [
  on(SnippetDeleted, 'snippets.remove_repository', removeFromStorage),
  on(ProjectDeleted, 'snippets.remove_of_project', removeOfProject),
]
