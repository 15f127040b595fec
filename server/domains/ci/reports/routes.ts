import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { int } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import {
  reportOf,
  summaryOf,
  type FullReport,
  type Report,
  type CaseView,
  type SuiteView,
} from './service.ts'

const counts = {
  total_time: z.number(),
  total_count: z.int(),
  success_count: z.int(),
  failed_count: z.int(),
  skipped_count: z.int(),
  error_count: z.int(),
}

const testCase = z.object({
  status: z.enum(['success', 'failed', 'skipped', 'error']),
  name: z.string(),
  classname: z.string(),
  file: z.string().nullable(),
  execution_time: z.number(),
  system_output: z.string().nullable(),
  stack_trace: z.string().nullable(),
  recent_failures: z.object({ count: z.int(), base_branch: z.string() }).nullable(),
  attachment_url: z.string().nullable(),
})

/** The test report of a pipeline (spec ci 2.12). */
const TestReport = entity(
  'TestReport',
  {
    ...counts,
    test_suites: z.array(
      z.object({
        name: z.string(),
        ...counts,
        suite_error: z.string().nullable(),
        test_cases: z.array(testCase),
      }),
    ),
  },
  ({ test_suites, ...sums }: FullReport) => ({
    ...sums,
    test_suites: test_suites.map(({ build_ids: _ids, test_cases, ...suite }) => ({
      ...suite,
      test_cases: test_cases.map((view: CaseView) => ({ ...view })),
    })),
  }),
)

/** The summary of the test report of a pipeline (spec ci 2.12). */
const TestReportSummary = entity(
  'TestReportSummary',
  {
    total: z.object({
      time: z.number(),
      count: z.int(),
      success: z.int(),
      failed: z.int(),
      skipped: z.int(),
      error: z.int(),
      suite_error: z.string().nullable(),
    }),
    test_suites: z.array(
      z.object({
        name: z.string(),
        ...counts,
        build_ids: z.array(z.int()),
        suite_error: z.string().nullable(),
      }),
    ),
  },
  (report: Report) => ({
    total: {
      time: report.total_time,
      count: report.total_count,
      success: report.success_count,
      failed: report.failed_count,
      skipped: report.skipped_count,
      error: report.error_count,
      suite_error: null,
    },
    test_suites: report.test_suites.map(({ build_ids, suite_error, ...suite }: SuiteView) => ({
      ...suite,
      build_ids: [...build_ids],
      suite_error,
    })),
  }),
)

const pipeline_id = int({ min: 1 }).describe('The ID of the pipeline')

export const getTestReport = endpoint('GET /projects/:id/pipelines/:pipeline_id/test_report', {
  summary: 'Get the test report of a pipeline',
  scope: project,
  can: abilities.read_jobs,
  params: { pipeline_id },
  returns: ok(TestReport),
  run: ({ project: owner, params, ...ctx }) => reportOf(ctx, owner, params.pipeline_id),
})

export const getTestReportSummary = endpoint('GET /projects/:id/pipelines/:pipeline_id/test_report_summary', {
  summary: 'Get the test report summary of a pipeline',
  scope: project,
  can: abilities.read_jobs,
  params: { pipeline_id },
  returns: ok(TestReportSummary),
  run: ({ project: owner, params, ...ctx }) => summaryOf(ctx, owner, params.pipeline_id),
})
