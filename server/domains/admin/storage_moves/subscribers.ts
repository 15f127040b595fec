import { on, type Subscription } from '../../../events/publish.ts'
import { Failure } from '../../../lib/fail.ts'
import { StorageChosen } from '../../storage/events.ts'
import { schedule } from './scheduling.ts'

export const subscribers: Subscription[] = [
  on(StorageChosen, 'storage_moves.schedule', (ctx, { project_id, storage, actor_id }) => {
    try {
      schedule(ctx, 'project', project_id, { destination: storage, actor_id })
    } catch (error) {
      // Is moving already, or the storage was removed: the repository stays where it is.
      if (!(error instanceof Failure)) throw error
    }
  }),
]
