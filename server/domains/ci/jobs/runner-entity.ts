import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { RunnerRow } from './around.ts'

/** The runner that took a job. */
export const Runner = entity(
  'RunnerOfJob',
  {
    id: z.int(),
    description: z.string().nullable(),
    ip_address: z.string().nullable(),
    active: z.boolean(),
    paused: z.boolean(),
    is_shared: z.boolean(),
    runner_type: z.string(),
    name: z.string().nullable(),
    online: z.boolean().nullable(),
    status: z.string(),
  },
  (row: RunnerRow) => ({
    id: row.id,
    description: row.description,
    ip_address: row.ip_address,
    active: row.paused === 0,
    paused: row.paused === 1,
    is_shared: row.runner_type === 'instance_type',
    runner_type: row.runner_type,
    name: row.name,
    online: row.contacted_at !== null,
    status: 'online',
  }),
)
