import { on, type Subscription } from '../../../events/publish.ts'
import { ProjectDeleted } from '../../projects/events.ts'
import { removeFolder } from './describe.ts'

export const subscribers: Subscription[] = [
  on(ProjectDeleted, 'ci.remove_secure_files', (ctx, { project_id }) => removeFolder(ctx, project_id)),
]
