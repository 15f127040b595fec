import { on, type Subscription } from '../../events/publish.ts'
import { Failure } from '../../lib/fail.ts'
import { StorageChosen } from '../storage/events.ts'
import { scheduleMove } from './storage_moves/jobs.ts'
import { access } from './audit/catalogue/access.ts'
import { accounts } from './audit/catalogue/accounts.ts'
import { automation } from './audit/catalogue/automation.ts'
import { instance } from './audit/catalogue/instance.ts'
import { scopes } from './audit/catalogue/scopes.ts'

export const subscribers: Subscription[] = [
  on(StorageChosen, 'storage_moves.schedule', (ctx, { project_id, storage, actor_id }) => {
    try {
      scheduleMove(ctx, 'project', project_id, { destination: storage, actor_id })
    } catch (error) {
      // The repository is being moved already, or the storage was removed. The repository keeps its storage.
      if (!(error instanceof Failure)) throw error
    }
  }),
  ...accounts,
  ...access,
  ...scopes,
  ...automation,
  ...instance,
]
