import { FAILURE_REASONS } from '../../ci_config/index.ts'

const KNOWN: ReadonlySet<string> = new Set(FAILURE_REASONS)

/** The reason that is stored for what a runner says. */
export function failureReason(given: string | undefined): string {
  if (given === undefined || given === '') return 'script_failure'
  return KNOWN.has(given) ? given : 'unknown_failure'
}
