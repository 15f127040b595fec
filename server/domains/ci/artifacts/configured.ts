import type { CompiledJob } from '../config/job.ts'
import type { Accessibility } from './types.ts'

const BY_ACCESS: Readonly<Record<string, Accessibility>> = {
  all: 'public',
  developer: 'developer',
  maintainer: 'maintainer',
  none: 'none',
}

/**
 * Who may fetch the files of a job, by `artifacts:access` or `artifacts:public` of its configuration (spec ci 4.5).
 * `options` is what `ci_job_details` holds of it. Runners do not pass this on.
 */
export function configuredAccess(options: string | undefined): Accessibility {
  const { artifacts } = options === undefined ? {} : (JSON.parse(options) as Partial<CompiledJob>)
  const access = artifacts?.['access']
  if (typeof access === 'string' && Object.hasOwn(BY_ACCESS, access)) return BY_ACCESS[access]!
  return artifacts?.['public'] === false ? 'private' : 'public'
}
