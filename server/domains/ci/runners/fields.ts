import { z } from 'zod'

import { isOnline, statusOf } from './status.ts'
import type { RunnerRow, RunnerType } from './store.ts'

/** What every answer says of a runner (spec ci 3.3). */
export const listedFields = {
  id: z.int(),
  description: z.string().nullable(),
  ip_address: z.string().nullable(),
  active: z.boolean(),
  paused: z.boolean(),
  is_shared: z.boolean(),
  runner_type: z.enum(['instance_type', 'group_type', 'project_type']),
  name: z.string().nullable(),
  online: z.boolean().nullable(),
  status: z.enum(['online', 'offline', 'stale', 'never_contacted', 'paused']),
}

/** The values of `listedFields` at a time. */
export function listed(row: RunnerRow, now: string) {
  return {
    id: row.id,
    description: row.description,
    ip_address: row.ip_address,
    active: !row.paused,
    paused: row.paused,
    is_shared: row.runner_type === 'instance_type',
    runner_type: row.runner_type as RunnerType,
    name: row.name,
    online: isOnline(row, now),
    status: statusOf(row, now),
  }
}
