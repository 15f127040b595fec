import { tx } from '../../../../db/database.ts'
import { on, type Subscription } from '../../../../events/facts.ts'
import { RefsUpdated } from '../../../repository/events.ts'
import { requestPipelines } from './jobs.ts'

export const subscribers: Subscription[] = [
  on(RefsUpdated, 'ci.pipelines_of_push', (ctx, fact) => tx(ctx.db, () => requestPipelines(ctx, fact))),
]
