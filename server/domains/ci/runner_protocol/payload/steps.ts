import type { JobOptions } from '../../jobs/store.ts'
import { releaseLines } from './release.ts'

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
