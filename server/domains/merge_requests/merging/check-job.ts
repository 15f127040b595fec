import { z } from 'zod'

import { job } from '../../../jobs/job.ts'
import { checkNow } from './check.ts'

/** Asks git whether a merge request can be merged. */
export const checkMergeability = job(
  'merge_requests.check',
  { args: { merge_request_id: z.number() } },
  (ctx, args) => checkNow(ctx, args.merge_request_id),
)
