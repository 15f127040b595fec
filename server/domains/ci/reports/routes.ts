import { endpoint } from '../../../http/endpoint.ts'
import { int } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { TestReport, TestReportSummary } from './entity.ts'
import { reportOf, summaryOf } from './service.ts'

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
