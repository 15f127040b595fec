import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { JobCounts, Queue } from './store.ts'

/** The metrics of the job runner at the time `now`. */
export interface Metrics {
  readonly now: string
  readonly queues: readonly Queue[]
  readonly counts: JobCounts
  readonly process: {
    readonly hostname: string
    readonly pid: number
    readonly started_at: string
    readonly concurrency: number
  }
}

const queueFields = z.record(z.string(), z.strictObject({ backlog: z.int(), latency: z.int() }))
const processFields = z.array(
  z.strictObject({
    hostname: z.string(),
    pid: z.int(),
    tag: z.string(),
    started_at: z.iso.datetime({ offset: true }),
    queues: z.array(z.string()),
    labels: z.array(z.string()),
    concurrency: z.int(),
    busy: z.int(),
  }),
)
const jobFields = z.strictObject({
  processed: z.int(),
  failed: z.int(),
  enqueued: z.int(),
  dead: z.int(),
})

/** Returns the seconds since the oldest waiting job of a queue became due. */
function latencyOf({ since }: Queue, now: string): number {
  return since === null ? 0 : Math.max(0, Math.round((Date.parse(now) - Date.parse(since)) / 1000))
}

function queueFieldsOf({ queues, now }: Metrics) {
  return Object.fromEntries(
    queues.map((queue) => [queue.name, { backlog: queue.backlog, latency: latencyOf(queue, now) }]),
  )
}

function processFieldsOf({ process, queues, counts }: Metrics) {
  const names = queues.map(({ name }) => name)
  const { hostname, pid, started_at, concurrency } = process
  const tag = 'deskforge'
  return [{ hostname, pid, tag, started_at, queues: names, labels: [], concurrency, busy: counts.running }]
}

function jobFieldsOf({ counts: { processed, failed, enqueued } }: Metrics) {
  return { processed, failed, enqueued, dead: failed }
}

export const QueueMetrics = entity('QueueMetrics', { queues: queueFields }, (metrics: Metrics) => ({
  queues: queueFieldsOf(metrics),
}))

export const ProcessMetrics = entity('ProcessMetrics', { processes: processFields }, (metrics: Metrics) => ({
  processes: processFieldsOf(metrics),
}))

export const JobStats = entity('JobStats', { jobs: jobFields }, (metrics: Metrics) => ({
  jobs: jobFieldsOf(metrics),
}))

export const CompoundMetrics = entity(
  'CompoundMetrics',
  { queues: queueFields, processes: processFields, jobs: jobFields },
  (metrics: Metrics) => ({
    queues: queueFieldsOf(metrics),
    processes: processFieldsOf(metrics),
    jobs: jobFieldsOf(metrics),
  }),
)

export const QueueEmptied = entity(
  'QueueEmptied',
  { completed: z.boolean(), deleted_jobs: z.int(), queue_size: z.int() },
  (row: { deleted: number; remaining: number }) => ({
    completed: true,
    deleted_jobs: row.deleted,
    queue_size: row.remaining,
  }),
)
