import type { JobOptions, JobRow } from '../jobs/store.ts'

/** What a runner can do, as it says itself. */
export type RunnerFeatures = Readonly<Record<string, unknown>>

/** Names of the features without which a runner cannot run a job (spec ci 1.6). */
export function neededFeatures(job: Pick<JobRow, 'ref'>, options: JobOptions): string[] {
  const needs: [name: string, isNeeded: boolean][] = [
    ['upload_multiple_artifacts', options.artifacts?.['reports'] !== undefined],
    ['refspecs', job.ref.startsWith('refs/')],
    ['artifacts_exclude', options.artifacts?.['exclude'] !== undefined],
    ['multi_build_steps', options.release !== null],
    ['return_exit_code', options.allowed_exit_codes !== null],
  ]
  return needs.filter(([, isNeeded]) => isNeeded).map(([name]) => name)
}

/** True where a runner can do everything that a job needs. */
export function hasFeatures(features: RunnerFeatures, needed: readonly string[]): boolean {
  return needed.every((name) => features[name] === true)
}
