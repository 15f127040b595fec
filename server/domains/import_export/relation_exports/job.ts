import { z } from 'zod'

import { job } from '../../../jobs/job.ts'
import { writeRelations } from './write.ts'

/** Writes the relations of a project or group that were asked for and are not written yet. */
export const exportRelations = job(
  'group_transfer.export_relations',
  { args: { kind: z.enum(['project', 'group']), id: z.number() }, retries: 100, lane: 'outside' },
  (ctx, owner) => writeRelations(ctx, owner),
)
