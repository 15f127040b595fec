import type { Json } from '../../../ci_config/index.ts'
import type { JobOptions } from '../../jobs/store.ts'
import { textOf, textsOf, hashOf } from './values.ts'

/** Commands of a job that run together. */
export interface Step {
  readonly name: string
  readonly script: readonly string[]
  /** Seconds. */
  readonly timeout: number
  readonly when: 'on_success' | 'always'
  readonly allow_failure: boolean
}

type Scripts = Pick<JobOptions, 'before_script' | 'script' | 'after_script' | 'release'>

/** What a runner does for a job, in order (spec ci 1.8). `timeout` is that of the job, seconds. */
export function stepsOf(options: Scripts, timeout: number): Step[] {
  const usual = { timeout, when: 'on_success', allow_failure: false } as const
  const steps: Step[] = [{ name: 'script', script: [...options.before_script, ...options.script], ...usual }]
  const release = releaseLines(options.release)
  if (release.length > 0) steps.push({ name: 'release', script: release, ...usual })
  if (options.after_script.length > 0)
    steps.push({
      name: 'after_script',
      script: options.after_script,
      timeout,
      when: 'always',
      allow_failure: true,
    })
  return steps
}

/** Key of the configuration → flag of the command. */
const FLAGS = {
  name: 'name',
  description: 'description',
  tag_name: 'tag-name',
  tag_message: 'tag-message',
  ref: 'ref',
  released_at: 'released-at',
} as const

/** The line that makes the release of a job, to be run by its shell, which puts variables in; none without `release:`. */
export function releaseLines(release: Json): string[] {
  if (!release) return []
  const single = Object.entries(FLAGS).flatMap(([key, flag]) => {
    const value = textOf(release[key])
    return value === null ? [] : [` --${flag} ${quoted(value)}`]
  })
  const milestones = (textsOf(release['milestones']) ?? []).map((title) => ` --milestone ${quoted(title)}`)
  const links = hashOf(release['assets'])['links']
  const assets = (Array.isArray(links) ? links : []).map(
    (link) => ` --assets-link ${quoted(JSON.stringify(link))}`,
  )
  return [`release-cli create${[...single, ...milestones, ...assets].join('')}`]
}

/** In double quotes, so that variables are put in and nothing else happens. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"`]/g, (char) => `\\${char}`)}"`
}
