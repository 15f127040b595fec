import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { CompoundMetrics, JobStats, ProcessMetrics, QueueEmptied, QueueMetrics } from './entity.ts'
import { emptyQueue, metrics } from './service.ts'

// The paths and names are those of the contract. The values describe the job runner of this instance.

export const queueMetrics = endpoint('GET /sidekiq/queue_metrics', {
  summary: 'Get the current queue metrics: the backlog and the latency',
  can: 'admin',
  volatile: true,
  returns: ok(QueueMetrics),
  run: metrics,
})

export const processMetrics = endpoint('GET /sidekiq/process_metrics', {
  summary: 'Get the current process metrics',
  can: 'admin',
  volatile: true,
  returns: ok(ProcessMetrics),
  run: metrics,
})

export const jobStats = endpoint('GET /sidekiq/job_stats', {
  summary: 'Get the current job statistics: processed, failed and enqueued jobs',
  can: 'admin',
  volatile: true,
  returns: ok(JobStats),
  run: metrics,
})

export const compoundMetrics = endpoint('GET /sidekiq/compound_metrics', {
  summary: 'Get a compound response of all job metrics',
  can: 'admin',
  volatile: true,
  returns: ok(CompoundMetrics),
  run: metrics,
})

const FILTERS = {
  user: text({ max: 255 }).optional().describe('Limit to jobs that this user started'),
  project: text({ max: 1100 }).optional().describe('Limit to jobs of the project with this full path'),
  worker_class: text({ max: 255 }).optional().describe('Limit to jobs with this name'),
}

export const emptyJobQueue = endpoint('DELETE /admin/sidekiq/queues/:queue_name', {
  summary: 'Delete jobs of a queue',
  can: 'admin',
  params: { queue_name: text({ max: 255 }).describe('`default` or `outside`'), ...FILTERS },
  parameterRules: [atLeastOne(...Object.keys(FILTERS))],
  returns: ok(QueueEmptied),
  run: ({ params: { queue_name, ...filter }, ...ctx }) => emptyQueue(ctx, queue_name, filter),
})
