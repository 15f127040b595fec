import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { job, type Job } from '../../../jobs/job.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { getPipeline } from '../pipelines/service.ts'
import { keyOf, MAX_FAILURES, failuresSince, suiteName, readTests } from './read.ts'
import { rounded, STATUSES, type SuiteSummary, type TestCase } from './junit.ts'
import type { StoredSummary } from './store.ts'
import * as store from './store.ts'

/** Reads the junit reports of a job. */
export const readTestReports = job(
  'ci.read_test_reports',
  { args: { job_id: z.number() }, retries: 2 },
  (ctx, { job_id }) => readTests(ctx, job_id),
)

export const jobs: Job[] = [readTestReports as Job]

/** A test as the answer shows it. */
export interface CaseView extends Omit<TestCase, 'attachment'> {
  /** The number of recent failures on the default branch; null for tests that did not fail. */
  readonly recent_failures: { readonly count: number; readonly base_branch: string } | null
  readonly attachment_url: string | null
}

/** The tests of jobs that share a name. */
export interface SuiteView extends SuiteSummary {
  readonly name: string
  readonly build_ids: readonly number[]
}

/** All tests of a pipeline. */
export type Report = Omit<SuiteSummary, 'suite_error'> & { readonly test_suites: readonly SuiteView[] }

/** A report with every test. */
export type FullReport = Omit<Report, 'test_suites'> & {
  readonly test_suites: readonly (SuiteView & { readonly test_cases: readonly CaseView[] })[]
}

/** The maximum number of characters of stored suites in one answer; tests of further suites are left out. */
const MAX_CHARACTERS = 16 * 1024 * 1024
const TOO_LARGE = 'The reports are too large to be shown together'

/** The test results of a pipeline in numbers. Throws 404 for a pipeline of another project. */
export function summaryOf(ctx: Ctx, owner: Project, pipelineId: number): Report {
  const suites = [...groupsOf(ctx, owner, pipelineId)].map(([name, members]) => merged(name, members))
  return { ...totalOf(suites), test_suites: suites }
}

/** All tests of a pipeline. Throws 404. */
export function reportOf(ctx: Ctx, owner: Project, pipelineId: number): FullReport {
  let remaining = MAX_CHARACTERS
  const isLeft = (summary: StoredSummary): boolean => summary.length > 0
  const suites = [...groupsOf(ctx, owner, pipelineId, isLeft)].map(([name, members]) => {
    const suite = merged(name, members)
    remaining -= members.reduce((sum, member) => sum + member.length, 0)
    if (remaining < 0) return { ...suite, suite_error: suite.suite_error ?? TOO_LARGE, test_cases: [] }
    return { ...suite, test_cases: suite.suite_error === null ? casesOf(ctx, owner, name, members) : [] }
  })
  return { ...totalOf(suites), test_suites: suites }
}

/** Copies of one job become one suite. */
function groupsOf(
  ctx: Ctx,
  owner: Project,
  pipelineId: number,
  isWanted: (summary: StoredSummary) => boolean = () => true,
): Map<string, StoredSummary[]> {
  getPipeline(ctx, owner, pipelineId)
  const groups = new Map<string, StoredSummary[]>()
  for (const summary of store.summariesOf(ctx.db, pipelineId).filter(isWanted)) {
    const name = suiteName(summary)
    groups.set(name, [...(groups.get(name) ?? []), summary])
  }
  return groups
}

function merged(name: string, members: readonly StoredSummary[]): SuiteView {
  const summaries = members.map((member) => member.summary)
  return {
    name,
    ...sums(summaries),
    suite_error: summaries.find((summary) => summary.suite_error !== null)?.suite_error ?? null,
    build_ids: members.map((member) => member.job_id),
  }
}

function totalOf(suites: readonly SuiteView[]): Omit<SuiteSummary, 'suite_error'> {
  return sums(suites)
}

function sums(parts: readonly Omit<SuiteSummary, 'suite_error'>[]) {
  const sum = (name: keyof Omit<SuiteSummary, 'suite_error'>) =>
    parts.reduce((total, part) => total + part[name], 0)
  return {
    total_time: rounded(sum('total_time')),
    total_count: sum('total_count'),
    success_count: sum('success_count'),
    failed_count: sum('failed_count'),
    skipped_count: sum('skipped_count'),
    error_count: sum('error_count'),
  }
}

function casesOf(ctx: Ctx, owner: Project, suite: string, members: readonly StoredSummary[]): CaseView[] {
  const cases = members.flatMap(({ job_id }) =>
    (store.suiteOf(ctx.db, job_id)?.test_cases ?? []).map((testCase) => ({ ...testCase, job_id })),
  )
  const failed = cases.filter((testCase) => testCase.status === 'failed').slice(0, MAX_FAILURES)
  const keys = failed.map((entry) => keyOf(suite, entry))
  const counts = store.failuresOf(ctx.db, owner.id, keys, failuresSince(ctx))
  const recent = new Map(failed.map((entry, at) => [entry, counts.get(keys[at]!)]))
  if (members.length > 1)
    cases.sort(
      (a, b) =>
        STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status) || b.execution_time - a.execution_time,
    )
  const base = `${ctx.config.url}/${fullPath(owner)}/-/jobs`
  return cases.map((testCase) => {
    const { attachment, job_id, ...shown } = testCase
    const count = recent.get(testCase)
    return {
      ...shown,
      recent_failures: count === undefined ? null : { count, base_branch: owner.default_branch },
      attachment_url:
        attachment === null ? null : `${base}/${job_id}/artifacts/file/${encodedPath(attachment)}`,
    }
  })
}

function encodedPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
