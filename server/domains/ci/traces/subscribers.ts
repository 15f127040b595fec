import { on, type Subscription } from '../../../events/facts.ts'
import { JobChanged } from '../events.ts'
import { archiveTrace } from './archive.ts'

const ENDED = new Set(['success', 'failed', 'canceled', 'skipped'])

export const subscribers: Subscription[] = [
  on(
    JobChanged,
    'ci.archive_ended_trace',
    async (ctx, { job_id, kind, status }) => {
      if (kind === 'job' && ENDED.has(status)) await archiveTrace(ctx, job_id)
    },
    { key: ({ job_id }) => `ci.archive_trace:${job_id}` },
  ),
]
