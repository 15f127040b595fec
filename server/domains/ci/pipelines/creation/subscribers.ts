import { tx } from '../../../../db/database.ts'
import { on, type Subscription } from '../../../../events/publish.ts'
import { projectById } from '../../../projects/index.ts'
import { RefsUpdated } from '../../../repository/events.ts'
import { requestPipelines } from './jobs.ts'

export const subscribers: Subscription[] = [
  on(RefsUpdated, 'ci.pipelines_of_push', (ctx, event) => tx(ctx.db, () => requestPipelines(ctx, event)), {
    // What was pulled from elsewhere starts pipelines only where the project says so.
    only: (event, ctx) =>
      event.source !== 'mirror' || projectById(ctx.db, event.project_id)?.mirror_trigger_builds === true,
  }),
]
