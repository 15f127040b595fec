import { z } from 'zod'

/** The texts of a status. */
interface Words {
  readonly text: string
  readonly label: string
  /** Name of its style. */
  readonly group: string
  /** Name of its icon, without `status_`. */
  readonly icon: string
}

const plain = (word: string): Words => ({ text: word, label: word, group: word, icon: word })

const WORDS: Readonly<Record<string, Words>> = {
  waiting_for_resource: {
    text: 'waiting',
    label: 'waiting for resource',
    group: 'waiting-for-resource',
    icon: 'pending',
  },
  success: { text: 'passed', label: 'passed', group: 'success', icon: 'success' },
  manual: { text: 'manual', label: 'manual action', group: 'manual', icon: 'manual' },
}
const WITH_WARNINGS: Words = {
  text: 'passed',
  label: 'passed with warnings',
  group: 'success-with-warnings',
  icon: 'warning',
}
/** Texts of pipelines that differ from those of jobs. */
const OF_PIPELINES: Readonly<Record<string, Words>> = {
  manual: { text: 'blocked', label: 'waiting for manual action', group: 'manual', icon: 'manual' },
  scheduled: { text: 'delayed', label: 'waiting for delayed job', group: 'scheduled', icon: 'scheduled' },
}
/** A failed job that is allowed to fail. */
const ALLOWED_FAILURE: Words = {
  text: 'failed',
  label: 'failed (allowed to fail)',
  group: 'failed-with-warnings',
  icon: 'warning',
}

/** The texts of a pipeline's status; `warnings`: jobs failed that are allowed to fail. */
export function wordsOfPipeline(status: string, warnings: boolean): Words {
  if (status === 'success' && warnings) return WITH_WARNINGS
  return OF_PIPELINES[status] ?? WORDS[status] ?? plain(status)
}

/** The texts of a job's status. */
export function wordsOfJob(job: { readonly status: string; readonly allow_failure: boolean }): Words {
  if (job.status === 'failed' && job.allow_failure) return ALLOWED_FAILURE
  return WORDS[job.status] ?? plain(job.status)
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

/** `detailed_status` with the path of the details page, without the URL of the instance. */
export function detailedStatus(words: Words, path: string): z.output<typeof detailedStatusSchema> {
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
