import { on, type Subscription } from '../../../events/publish.ts'
import { ProjectImportEnded } from '../../projects/events.ts'
import { discardCanceled } from './landing/index.ts'

/** Whoever works on a canceled import cleans up; while it waits for its host nobody does. */
export const subscribers: Subscription[] = [
  on(ProjectImportEnded, 'host_imports.discard', (ctx, event) => discardCanceled(ctx, event.project_id), {
    only: (event) => event.status === 'canceled',
  }),
]
