import { on } from '../../../events/publish.ts'
import { ProjectDeleted } from '../../projects/events.ts'
import { removeOrphanedKeys } from '../../users/index.ts'

export const subscribers = [
  // The links were deleted with the project. Keys without any other project are deleted here.
  on(ProjectDeleted, 'deploy.remove_orphaned_keys', (ctx) => removeOrphanedKeys(ctx.db)),
]
