import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { CompoundMetrics, JobStats, ProcessMetrics, QueueEmptied, QueueMetrics } from './entity.ts'
import { emptyQueue, metrics } from './service.ts'

// The contract gives the names; the figures are those of the job runner of this instance.

export const queueMetrics = endpoint('GET /sidekiq/queue_metrics', {
  summary: 'Get queue metrics: number of waiting jobs, and their waiting time',
  can: 'admin',
  volatile: true,
  returns: ok(QueueMetrics),
  run: metrics,
})

export const processMetrics = endpoint('GET /sidekiq/process_metrics', {
  summary: 'Get metrics of the process that runs jobs',
  can: 'admin',
  volatile: true,
  returns: ok(ProcessMetrics),
  run: metrics,
})

export const jobStats = endpoint('GET /sidekiq/job_stats', {
  summary: 'Get job statistics: done, failed and waiting jobs',
  can: 'admin',
  volatile: true,
  returns: ok(JobStats),
  run: metrics,
})

export const compoundMetrics = endpoint('GET /sidekiq/compound_metrics', {
  summary: 'Get all metrics of background jobs',
  can: 'admin',
  volatile: true,
  returns: ok(CompoundMetrics),
  run: metrics,
})

const FILTERS = {
  user: text({ max: 255 }).optional().describe('Only jobs that this user started'),
  project: text({ max: 1100 }).optional().describe('Only jobs of the project with this full path'),
  worker_class: text({ max: 255 }).optional().describe('Only jobs with this name'),
}

export const emptyJobQueue = endpoint('DELETE /admin/sidekiq/queues/:queue_name', {
  summary: 'Delete jobs of a queue',
  can: 'admin',
  params: { queue_name: text({ max: 255 }).describe('`default` or `outside`'), ...FILTERS },
  together: [atLeastOne(...Object.keys(FILTERS))],
  returns: ok(QueueEmptied),
  run: ({ params: { queue_name, ...filter }, ...ctx }) => emptyQueue(ctx, queue_name, filter),
})
