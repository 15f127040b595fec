/** How a test ended, those that want to be seen first in front (spec ci 2.12). */
export const STATUSES = ['error', 'failed', 'success', 'skipped'] as const
export type CaseStatus = (typeof STATUSES)[number]

/** One test. */
export interface TestCase {
  readonly status: CaseStatus
  readonly name: string
  readonly classname: string
  readonly file: string | null
  /** Seconds. */
  readonly execution_time: number
  readonly system_output: string | null
  readonly stack_trace: string | null
  /** Path of a picture or the like in the archive of the job, as the test named it. */
  readonly attachment: string | null
}

/** What the tests of one job came to, without the tests themselves. */
export interface SuiteSummary {
  readonly total_time: number
  readonly total_count: number
  readonly success_count: number
  readonly failed_count: number
  readonly skipped_count: number
  readonly error_count: number
  /** Why the report could not be read; there are no tests then. */
  readonly suite_error: string | null
}

/** The tests of one job. */
export interface Suite extends SuiteSummary {
  readonly test_cases: readonly TestCase[]
}

/** A suite of tests, those first that want to be seen: errors, failures, then by how long they took. */
export function suiteOf(cases: readonly TestCase[]): Suite {
  const count = (status: CaseStatus): number => cases.filter((one) => one.status === status).length
  const test_cases = [...cases].sort(
    (a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status) || b.execution_time - a.execution_time,
  )
  return {
    total_time: rounded(cases.reduce((sum, one) => sum + one.execution_time, 0)),
    total_count: cases.length,
    success_count: count('success'),
    failed_count: count('failed'),
    skipped_count: count('skipped'),
    error_count: count('error'),
    suite_error: null,
    test_cases,
  }
}

/** A suite that could not be read. */
export function brokenSuite(suite_error: string): Suite {
  return { ...suiteOf([]), suite_error }
}

/** Sums of fractions end in noise; a microsecond is enough. */
export function rounded(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6
}
