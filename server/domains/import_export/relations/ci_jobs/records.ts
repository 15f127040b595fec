import type { Reader } from '../../../../db/reader.ts'
import type { Fields, Json } from '../relation.ts'
import { stageStatus } from './statuses.ts'

interface JobToWrite {
  readonly kind: 'job' | 'bridge' | 'external'
  readonly name: string
  readonly stage: string
  readonly stage_index: number
  readonly status: string
  readonly when: string
  readonly allow_failure: boolean
  readonly needs: string | null
  readonly ref: string
  readonly tag: boolean
  readonly protected: boolean
  readonly tag_list: string
  readonly retried: boolean
  readonly user_id: number | null
  readonly failure_reason: string | null
  readonly coverage: number | null
  readonly environment: string | null
  readonly scheduled_at: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly queued_at: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly erased_at: string | null
  readonly artifacts_expire_at: string | null
  readonly target_url: string | null
  readonly description: string | null
  readonly options: string | null
  readonly variables: string | null
}

/** What a job is called in archives. */
export const TYPES = { job: 'Ci::Build', bridge: 'Ci::Bridge', external: 'GenericCommitStatus' } as const

const SELECT = `
  SELECT j.*, d.options, d.variables FROM ci_jobs j LEFT JOIN ci_job_details d ON d.job_id = j.id
  WHERE j.pipeline_id = ? ORDER BY j.stage_index, j.stage, j.id`

/** The stages of a pipeline with their jobs. */
export function stageRecords(
  db: Reader,
  pipeline: { readonly id: number; readonly created_at: string; readonly updated_at: string },
  project_id: number,
): Fields[] {
  const { created_at, updated_at } = pipeline
  const stages = new Map<string, JobToWrite[]>()
  for (const job of db.many<JobToWrite>(SELECT, pipeline.id)) {
    const key = `${job.stage_index} ${job.stage}`
    const jobs = stages.get(key)
    if (jobs) jobs.push(job)
    else stages.set(key, [job])
  }
  return [...stages.values()].map((jobs) => ({
    name: jobs[0]!.stage,
    status: stageStatus(jobs),
    position: jobs[0]!.stage_index,
    lock_version: 0,
    project_id,
    created_at,
    updated_at,
    // The name that every release reads; newer ones know one for each kind besides.
    statuses: jobs.map(jobRecord),
  }))
}

function jobRecord(job: JobToWrite): Fields {
  return {
    type: TYPES[job.kind],
    name: job.name,
    stage: job.stage,
    stage_idx: job.stage_index,
    status: job.status === 'canceling' ? 'canceled' : job.status,
    when: job.when,
    ref: job.ref,
    tag: job.tag,
    protected: job.protected,
    allow_failure: job.allow_failure,
    options: optionsRecord(job.options),
    yaml_variables: job.variables === null ? [] : (JSON.parse(job.variables) as Json),
    tag_list: JSON.parse(job.tag_list) as Json,
    coverage: job.coverage,
    coverage_regex: null,
    user_id: job.user_id,
    target_url: job.target_url,
    description: job.description,
    environment: job.environment,
    retried: job.retried,
    failure_reason: job.failure_reason,
    scheduling_type: job.needs === null ? 'stage' : 'dag',
    scheduled_at: job.scheduled_at,
    queued_at: job.queued_at,
    started_at: job.started_at,
    finished_at: job.finished_at,
    erased_at: job.erased_at,
    artifacts_expire_at: job.artifacts_expire_at,
    lock_version: 0,
    created_at: job.created_at,
    updated_at: job.updated_at,
  }
}

/** What a job does, as far as it can be done elsewhere. Secrets and other places are not in it. */
function optionsRecord(text: string | null): Fields {
  if (text === null) return {}
  const { script, before_script, after_script, image } = JSON.parse(text) as Record<string, Json>
  const record: Record<string, Json> = {}
  for (const [name, value] of Object.entries({ script, before_script, after_script }))
    if (Array.isArray(value) && value.length > 0) record[name] = value as Json
  if (image !== null && image !== undefined) record['image'] = image
  return record
}
