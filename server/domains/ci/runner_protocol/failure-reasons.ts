/** Why jobs fail, as runners may say it and as the instance itself says it (spec ci 1.15). */
export const FAILURE_REASONS = [
  'unknown_failure',
  'script_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'runner_system_failure',
  'missing_dependency_failure',
  'runner_unsupported',
  'stale_schedule',
  'job_execution_timeout',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'forward_deployment_failure',
  'user_blocked',
  'project_deleted',
  'ci_quota_exceeded',
  'pipeline_loop_detected',
  'no_matching_runner',
  'trace_size_exceeded',
  'builds_disabled',
  'environment_creation_failure',
  'deployment_rejected',
  'failed_outdated_deployment_job',
  'ip_restriction_failure',
] as const

const KNOWN: ReadonlySet<string> = new Set(FAILURE_REASONS)

/** The reason that is stored for what a runner says. */
export function failureReason(given: string | undefined): string {
  if (given === undefined || given === '') return 'script_failure'
  return KNOWN.has(given) ? given : 'unknown_failure'
}
