import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { FullReport, Report, ShownCase, ShownSuite } from './service.ts'

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

/** Tests of a pipeline (spec ci 2.12). */
export const TestReport = entity(
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
      test_cases: test_cases.map(({ ...one }: ShownCase) => one),
    })),
  }),
)

/** The test results of a pipeline in numbers (spec ci 2.12). */
export const TestReportSummary = entity(
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
    test_suites: report.test_suites.map(({ build_ids, suite_error, ...suite }: ShownSuite) => ({
      ...suite,
      build_ids: [...build_ids],
      suite_error,
    })),
  }),
)
