import { on, type Subscription } from '../../../events/publish.ts'
import { ProjectImportEnded } from '../../projects/events.ts'
import { discardCanceled } from './landing/index.ts'

/** Deletes what a canceled import created. A running import deletes its content itself; a waiting import does not. */
export const subscribers: Subscription[] = [
  on(ProjectImportEnded, 'host_imports.discard', (ctx, event) => discardCanceled(ctx, event.project_id), {
    only: (event) => event.status === 'canceled',
  }),
]
