import { tx } from '../../../../db/database.ts'
import { on, type Subscription } from '../../../../events/facts.ts'
import { projectById } from '../../../projects/index.ts'
import { RefsUpdated } from '../../../repository/events.ts'
import { requestPipelines } from './jobs.ts'

export const subscribers: Subscription[] = [
  on(RefsUpdated, 'ci.pipelines_of_push', (ctx, fact) => tx(ctx.db, () => requestPipelines(ctx, fact)), {
    // What was pulled from elsewhere starts pipelines only where the project says so.
    only: (fact, ctx) =>
      fact.source !== 'mirror' || projectById(ctx.db, fact.project_id)?.mirror_trigger_builds === true,
  }),
]
