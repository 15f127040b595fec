import type { CompiledJob, Variable } from '../../ci_config/index.ts'
import type { JobDetailsRow } from './store.ts'

/** What of a compiled job has columns of its own, or is done with once the job is chosen. */
type Elsewhere =
  | 'name'
  | 'base'
  | 'kind'
  | 'stage'
  | 'stage_index'
  | 'tag_list'
  | 'variables'
  | 'inherits_variables'
  | 'rules'
  | 'only'
  | 'except'
  | 'when'
  | 'allow_failure'
  | 'needs'
  | 'interruptible'

/** The column `ci_job_details.options`: the rest of a job's configuration, as its rules want it. */
export type JobOptions = Omit<CompiledJob, Elsewhere>

/** The configuration of a stored job. */
export function optionsOf(details: Pick<JobDetailsRow, 'options'>): JobOptions {
  return JSON.parse(details.options) as JobOptions
}

/** The variables of a stored job's configuration, root before job before rule; of one name the later counts. */
export function yamlVariablesOf(details: Pick<JobDetailsRow, 'variables'>): Variable[] {
  return JSON.parse(details.variables) as Variable[]
}
