import { on, type Subscription } from '../../events/facts.ts'
import { SnippetDeleted } from './events.ts'
import { removeFromStorage } from './repository.ts'

export const subscribers: Subscription[] = [
  on(SnippetDeleted, 'snippets.remove_repository', removeFromStorage),
]
