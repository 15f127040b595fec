import type { Ctx } from '../../../ctx.ts'
import type { Retry } from '../../ci_config/index.ts'
import type { JobRow } from '../jobs/store.ts'
import * as store from './store.ts'

/** How often a job is repeated that says nothing about it. */
const USUAL: Readonly<Record<string, number>> = { scheduler_failure: 2 }

/** What repeating does not mend, whatever the job says. */
const NEVER: ReadonlySet<string> = new Set([
  'data_integrity_failure',
  'forward_deployment_failure',
  'missing_dependency_failure',
  'no_matching_runner',
  'user_blocked',
  'project_deleted',
  'builds_disabled',
  'archived_failure',
  'stale_schedule',
])

/** How often a job may be repeated by itself after such a failure (spec ci 2.5). Pure. */
export function retriesAfter(retry: Retry | null, reason: string, exitCode: number | null): number {
  if (NEVER.has(reason)) return 0
  return retry && covers(retry, reason, exitCode) ? retry.max : (USUAL[reason] ?? 0)
}

/** Either list may name the failure; exit codes alone leave no room for the usual `always`. */
function covers({ when, exit_codes }: Retry, reason: string, exitCode: number | null): boolean {
  if (exit_codes !== null && exitCode !== null && exit_codes.includes(exitCode)) return true
  if (when.includes('always')) return exit_codes === null
  return when.includes(reason)
}

/** True for a failed job that is to be repeated by itself. */
export function retriesItself(ctx: Ctx, job: JobRow): boolean {
  if (job.kind !== 'job' || job.failure_reason === null) return false
  const retry = store.optionParts<Retry>(ctx.db, job.id, 'retry')
  return job.auto_retries < retriesAfter(retry, job.failure_reason, job.exit_code)
}
