import type { CompiledJob } from '../config/job.ts'

const COPY = /[\s:]+\d+[\s:/\\]+\d+\s*$/

/**
 * Name under which the tests of a job are told: copies of one job (`rspec 1/3`) share one, those of a matrix do not
 * (spec ci 2.12). `options` is what `ci_job_details` holds of the job.
 */
export function suiteName(name: string, options?: string): string {
  const { parallel } = options === undefined ? {} : (JSON.parse(options) as Partial<CompiledJob>)
  if (parallel && parallel.matrix.length > 0) return name
  return name.replace(COPY, '').trim() || name
}
