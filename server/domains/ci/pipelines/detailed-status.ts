import { z } from 'zod'

/** How a status is displayed. */
interface StatusTexts {
  readonly text: string
  readonly label: string
  /** The name of the style. */
  readonly group: string
  /** The name of the icon, without `status_`. */
  readonly icon: string
}

const sameTexts = (status: string): StatusTexts => ({
  text: status,
  label: status,
  group: status,
  icon: status,
})

/** The statuses that are displayed with other texts than their names. */
const OF_JOBS: Readonly<Record<string, StatusTexts>> = {
  waiting_for_resource: {
    text: 'waiting',
    label: 'waiting for resource',
    group: 'waiting-for-resource',
    icon: 'pending',
  },
  success: { text: 'passed', label: 'passed', group: 'success', icon: 'success' },
  manual: { text: 'manual', label: 'manual action', group: 'manual', icon: 'manual' },
}
const WITH_WARNINGS: StatusTexts = {
  text: 'passed',
  label: 'passed with warnings',
  group: 'success-with-warnings',
  icon: 'warning',
}
/** The statuses with different texts for pipelines than for jobs. */
const OF_PIPELINES: Readonly<Record<string, StatusTexts>> = {
  manual: { text: 'blocked', label: 'waiting for manual action', group: 'manual', icon: 'manual' },
  scheduled: { text: 'delayed', label: 'waiting for delayed job', group: 'scheduled', icon: 'scheduled' },
}
/** The texts of a failed job that is allowed to fail. */
const ALLOWED_FAILURE: StatusTexts = {
  text: 'failed',
  label: 'failed (allowed to fail)',
  group: 'failed-with-warnings',
  icon: 'warning',
}

/** The texts of a pipeline's status. `warnings` says whether jobs that are allowed to fail have failed. */
export function pipelineStatusTexts(status: string, warnings: boolean): StatusTexts {
  if (status === 'success' && warnings) return WITH_WARNINGS
  return OF_PIPELINES[status] ?? OF_JOBS[status] ?? sameTexts(status)
}

/** The texts of a job's status. */
export function jobStatusTexts(job: {
  readonly status: string
  readonly allow_failure: boolean
}): StatusTexts {
  if (job.status === 'failed' && job.allow_failure) return ALLOWED_FAILURE
  return OF_JOBS[job.status] ?? sameTexts(job.status)
}

/** `detailed_status` (spec core 0.1, ci 2.6). */
export const detailedStatusSchema = z.strictObject({
  icon: z.string(),
  text: z.string(),
  label: z.string(),
  group: z.string(),
  tooltip: z.string(),
  has_details: z.boolean(),
  details_path: z.string().nullable(),
  illustration: z.null(),
  favicon: z.string(),
})

/** Makes a `detailed_status`. `path` is the path of the details page, without the URL of the instance. */
export function detailedStatus(words: StatusTexts, path: string): z.output<typeof detailedStatusSchema> {
  return {
    icon: `status_${words.icon}`,
    text: words.text,
    label: words.label,
    group: words.group,
    tooltip: words.label,
    has_details: true,
    details_path: path,
    illustration: null,
    favicon: `/assets/ci_favicons/favicon_status_${words.icon}.png`,
  }
}
