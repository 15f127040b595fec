import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { FailedJob, JobCounts, Queue } from '../queues/store.ts'
import type { Counts } from './store.ts'

/** A kind of data with its size in bytes. */
export interface DataSize {
  readonly name: string
  readonly bytes: number
}

/** The health of a component of the instance. `problem` is null if it works. */
export interface Health {
  readonly name: string
  readonly problem: string | null
}

/** The state of the instance, for administrators. */
export interface Overview {
  readonly version: string
  readonly revision: string
  readonly git: string
  readonly node: string
  readonly sqlite: string
  readonly started_at: string
  readonly counts: Counts
  readonly health: Health[]
  readonly parts: DataSize[]
  readonly disk: { readonly free: number; readonly total: number } | null
  readonly queues: Queue[]
  readonly jobs: JobCounts
  readonly failures: FailedJob[]
}

const countFields = z.strictObject({
  forks: z.int(),
  issues: z.int(),
  merge_requests: z.int(),
  notes: z.int(),
  snippets: z.int(),
  ssh_keys: z.int(),
  milestones: z.int(),
  users: z.int(),
  groups: z.int(),
  projects: z.int(),
  active_users: z.int(),
})

/** The overview of the instance, for the window. */
export const InstanceOverview = entity(
  'InstanceOverview',
  {
    version: z.string(),
    revision: z.string(),
    git: z.string(),
    node: z.string(),
    sqlite: z.string(),
    started_at: time(),
    counts: countFields,
    health: z.array(z.strictObject({ name: z.string(), problem: z.string().nullable() })),
    parts: z.array(z.strictObject({ name: z.string(), bytes: z.int() })),
    disk: z.strictObject({ free: z.int(), total: z.int() }).nullable(),
    queues: z.array(z.strictObject({ name: z.string(), backlog: z.int(), since: z.string().nullable() })),
    jobs: z.strictObject({ processed: z.int(), failed: z.int(), enqueued: z.int(), running: z.int() }),
    failures: z.array(
      z.strictObject({
        id: z.int(),
        name: z.string(),
        error: z.string().nullable(),
        attempts: z.int(),
        finished_at: time(),
      }),
    ),
  },
  (row: Overview) => row,
)
