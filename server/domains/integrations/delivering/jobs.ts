import { z } from 'zod'

import { job, type Job } from '../../../jobs/job.ts'
import { deliver } from './deliver.ts'

/** Tells one integration of one event. Failures are in its log only (spec administration 3.5, last line). */
export const deliverToOne = job(
  'integrations.deliver',
  { args: { integration_id: z.number(), event_id: z.number() }, retries: 0, lane: 'outside' },
  (ctx, { integration_id, event_id }) => deliver(ctx, integration_id, event_id),
)

export const jobs: Job[] = [deliverToOne as Job]
