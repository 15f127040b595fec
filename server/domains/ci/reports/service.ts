import { setImmediate } from 'node:timers/promises'

import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { cron, job, type CronLine, type Job } from '../../../jobs/job.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { getPipeline } from '../pipelines/service.ts'
import { testKey, MAX_FAILURES, failuresSince, suiteName, readTests } from './read.ts'
import { roundToMicroseconds, STATUSES, type SuiteSummary, type TestCase } from './junit.ts'
import type { StoredSummary } from './store.ts'
import * as store from './store.ts'

/** Reads the JUnit reports of a job. */
export const readTestReports = job(
  'ci.read_test_reports',
  { args: { job_id: z.number() }, retries: 2 },
  (ctx, { job_id }) => readTests(ctx, job_id),
)

export const jobs: Job[] = [readTestReports as Job]

/** The maximum number of test failures that one statement removes. */
const BATCH = 500

/** Deletes test failures that are too old for the number of recent failures. */
export async function forgetOldFailures(ctx: Ctx): Promise<void> {
  while (store.removeFailures(ctx.db, failuresSince(ctx), BATCH) === BATCH) await setImmediate()
}

export const crons: CronLine[] = [cron('ci.forget_test_failures', '20 4 * * *', forgetOldFailures)]

/** A test in a report. */
export interface CaseView extends Omit<TestCase, 'attachment'> {
  /** The number of recent failures on the default branch. Null for a test that did not fail. */
  readonly recent_failures: { readonly count: number; readonly base_branch: string } | null
  readonly attachment_url: string | null
}

/** The summary of the jobs with the same suite name. */
export interface SuiteView extends SuiteSummary {
  readonly name: string
  readonly build_ids: readonly number[]
}

/** The summary of the tests of a pipeline. */
export type Report = Omit<SuiteSummary, 'suite_error'> & { readonly test_suites: readonly SuiteView[] }

/** A report with all tests. */
export type FullReport = Omit<Report, 'test_suites'> & {
  readonly test_suites: readonly (SuiteView & { readonly test_cases: readonly CaseView[] })[]
}

/** The maximum number of characters of all suites in an answer. The tests of further suites are left out. */
const MAX_CHARACTERS = 16 * 1024 * 1024
const TOO_LARGE = 'The reports are too large to be shown together'

/** Returns the summary of a pipeline's tests. Throws 404 if the project has no such pipeline. */
export function summaryOf(ctx: Ctx, owner: Project, pipelineId: number): Report {
  const suites = [...groupsOf(ctx, owner, pipelineId)].map(([name, summaries]) =>
    mergeSummaries(name, summaries),
  )
  return { ...totalsOf(suites), test_suites: suites }
}

/** Returns the tests of a pipeline. Throws 404 if the project has no such pipeline. */
export function reportOf(ctx: Ctx, owner: Project, pipelineId: number): FullReport {
  let remaining = MAX_CHARACTERS
  const hasReport = (summary: StoredSummary): boolean => summary.length > 0
  const suites = [...groupsOf(ctx, owner, pipelineId, hasReport)].map(([name, summaries]) => {
    const suite = mergeSummaries(name, summaries)
    remaining -= summaries.reduce((sum, { length }) => sum + length, 0)
    if (remaining < 0) return { ...suite, suite_error: suite.suite_error ?? TOO_LARGE, test_cases: [] }
    return { ...suite, test_cases: suite.suite_error === null ? casesOf(ctx, owner, name, summaries) : [] }
  })
  return { ...totalsOf(suites), test_suites: suites }
}

/** Groups the summaries of a pipeline by suite name. */
function groupsOf(
  ctx: Ctx,
  owner: Project,
  pipelineId: number,
  filter: (summary: StoredSummary) => boolean = () => true,
): Map<string, StoredSummary[]> {
  getPipeline(ctx, owner, pipelineId)
  const groups = new Map<string, StoredSummary[]>()
  for (const summary of store.summariesOf(ctx.db, pipelineId).filter(filter)) {
    const name = suiteName(summary)
    groups.set(name, [...(groups.get(name) ?? []), summary])
  }
  return groups
}

function mergeSummaries(name: string, stored: readonly StoredSummary[]): SuiteView {
  const summaries = stored.map(({ summary }) => summary)
  return {
    name,
    ...totalsOf(summaries),
    suite_error: summaries.find((summary) => summary.suite_error !== null)?.suite_error ?? null,
    build_ids: stored.map(({ job_id }) => job_id),
  }
}

type Totals = Omit<SuiteSummary, 'suite_error'>

function totalsOf(summaries: readonly Totals[]): Totals {
  const sum = (name: keyof Totals) => summaries.reduce((total, summary) => total + summary[name], 0)
  return {
    total_time: roundToMicroseconds(sum('total_time')),
    total_count: sum('total_count'),
    success_count: sum('success_count'),
    failed_count: sum('failed_count'),
    skipped_count: sum('skipped_count'),
    error_count: sum('error_count'),
  }
}

function casesOf(ctx: Ctx, owner: Project, suite: string, summaries: readonly StoredSummary[]): CaseView[] {
  const cases = summaries.flatMap(({ job_id }) =>
    (store.suiteOf(ctx.db, job_id)?.test_cases ?? []).map((testCase) => ({ ...testCase, job_id })),
  )
  const failed = cases.filter((testCase) => testCase.status === 'failed').slice(0, MAX_FAILURES)
  const keys = failed.map((entry) => testKey(suite, entry))
  const counts = store.failuresOf(ctx.db, owner.id, keys, failuresSince(ctx))
  const recent = new Map(failed.map((entry, index) => [entry, counts.get(keys[index]!)]))
  if (summaries.length > 1)
    cases.sort(
      (a, b) =>
        STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status) || b.execution_time - a.execution_time,
    )
  const base = `${ctx.config.url}/${fullPath(owner)}/-/jobs`
  return cases.map((testCase) => {
    const { attachment, job_id, ...fields } = testCase
    const count = recent.get(testCase)
    return {
      ...fields,
      recent_failures: count === undefined ? null : { count, base_branch: owner.default_branch },
      attachment_url:
        attachment === null ? null : `${base}/${job_id}/artifacts/file/${encodePath(attachment)}`,
    }
  })
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
