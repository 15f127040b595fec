import { requiredText } from '../checked.ts'
import { UnusableRecord, type Fields } from '../relation.ts'

/** With these something is over. */
const FINAL = ['success', 'failed', 'canceled', 'skipped'] as const
const UNDER_WAY = [
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'manual',
  'scheduled',
  'canceling',
  'waiting_for_callback',
]

export type EndedStatus = (typeof FINAL)[number]

/** How a pipeline or job ended: what was under way is canceled (spec administration 6.5). Throws UnusableRecord. */
export function endedStatus(record: Fields): EndedStatus {
  const status = requiredText(record, 'status', 100)
  const final = FINAL.find((one) => one === status)
  if (final) return final
  if (!UNDER_WAY.includes(status)) throw new UnusableRecord('status is not included in the list')
  return 'canceled'
}

/** How a stage stands, by its newest jobs. */
export function stageStatus(
  jobs: readonly { status: string; allow_failure: boolean; retried: boolean }[],
): string {
  const counted = jobs.filter((job) => !job.retried)
  const has = (...statuses: string[]): boolean =>
    counted.some((job) => statuses.includes(job.status) && (!job.allow_failure || job.status !== 'failed'))
  for (const status of ['running', 'pending', 'manual', 'scheduled', 'created', 'failed', 'canceled'])
    if (has(status)) return status
  return counted.length > 0 && counted.every((job) => job.status === 'skipped') ? 'skipped' : 'success'
}
