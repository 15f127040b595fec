import { on } from '../../events/publish.ts'
import { ProjectDeleted } from '../projects/events.ts'
import { removeOrphans } from './keys/store.ts'

export const subscribers = [
  // The project took its links with it; keys that were only its own have nobody left.
  on(ProjectDeleted, 'deploy.remove_orphaned_keys', (ctx) => removeOrphans(ctx.db)),
]
