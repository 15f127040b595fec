import { on, type Subscription } from '../../../events/publish.ts'
import { JobChanged } from '../events.ts'
import { archiveTrace } from './archive.ts'

const ENDED = new Set(['success', 'failed', 'canceled', 'skipped'])

export const subscribers: Subscription[] = [
  on(JobChanged, 'ci.archive_ended_trace', (ctx, { job_id }) => archiveTrace(ctx, job_id), {
    // Without a runner there is no log.
    only: ({ kind, status, runner_id }) => kind === 'job' && ENDED.has(status) && runner_id !== null,
    key: ({ job_id }) => `ci.archive_trace:${job_id}`,
  }),
]
