import { on, type Subscription } from '../../../../events/publish.ts'
import { ProjectDeleted } from '../../../projects/events.ts'
import { sweepExports } from './files.ts'

/** Archives of a project go with it. */
export const subscribers: readonly Subscription[] = [
  on(ProjectDeleted, 'transfer.remove_exports', (ctx) => sweepExports(ctx)),
]
