import { on, type Subscription } from '../../../events/publish.ts'
import { RefsUpdated } from '../../repository/index.ts'
import { requestUpdate } from './jobs.ts'
import { enabledOf } from './store.ts'

export const subscribers: Subscription[] = [
  on(
    RefsUpdated,
    'mirrors.push',
    (ctx, { project_id }) => {
      for (const row of enabledOf(ctx.db, project_id)) requestUpdate(ctx, row)
    },
    { only: ({ project_id, part }, ctx) => part === 1 && enabledOf(ctx.db, project_id).length > 0 },
  ),
]
