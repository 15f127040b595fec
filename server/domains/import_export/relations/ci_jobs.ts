import type { Selectable } from 'kysely'

import type { CiJobsTable } from '../../../db/schema.gen.ts'
import { childOf, childrenOf, isFields, requiredText, textOf, integerOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, type ColumnMap } from './columns.ts'
import {
  importEach,
  UnusableRecord,
  type Fields,
  type Json,
  type Row,
  type Source,
  type Target,
} from './relation.ts'
import { jobsOf } from './store.ts'

const MAX_NAME = 255
const MAX_LINES = 1000
const MAX_LINE = 100_000

/** Types of CI jobs in archives, by their kind on this instance. */
const TYPES = { job: 'Ci::Build', bridge: 'Ci::Bridge', external: 'GenericCommitStatus' } as const
type Kind = keyof typeof TYPES

const FINAL = ['success', 'failed', 'canceled', 'skipped'] as const
const ACTIVE = [
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'manual',
  'scheduled',
  'canceling',
  'waiting_for_callback',
]

/**
 * The final status of a pipeline or CI job. An active one is canceled (spec administration 6.5). Throws UnusableRecord.
 */
export function finalStatus(record: Fields): (typeof FINAL)[number] {
  const status = requiredText(record, 'status', 100)
  const final = FINAL.find((candidate) => candidate === status)
  if (final) return final
  if (!ACTIVE.includes(status)) throw new UnusableRecord('status is not included in the list')
  return 'canceled'
}

/** A CI job with its details. */
type JobRow = Selectable<CiJobsTable> & { readonly options: string | null; readonly variables: string | null }

const FIELDS: ColumnMap<JobRow> = {
  type: field.computed<JobRow>((row) => TYPES[row.kind as Kind]),
  name: field.required(MAX_NAME),
  stage: field.text(MAX_NAME),
  stage_idx: field.otherColumn('stage_index', field.integer({ min: 0 })),
  status: {
    write: (row) => (row.status === 'canceling' ? 'canceled' : row.status),
    read: (record) => ({ status: finalStatus(record) }),
  },
  when: field.choice(['on_success', 'on_failure', 'always', 'manual', 'delayed'], 'on_success'),
  ref: field.text(1024),
  tag: field.flag(),
  protected: field.flag(),
  allow_failure: field.flag(),
  options: field.computed<JobRow>((row) => optionsRecord(row.options)),
  yaml_variables: field.computed<JobRow>((row) =>
    row.variables === null ? [] : (JSON.parse(row.variables) as Json),
  ),
  tag_list: {
    write: (row) => JSON.parse(row.tag_list) as Json,
    read: (record, _target, name) => ({ tag_list: JSON.stringify(textsOf(record[name], 50, MAX_NAME)) }),
  },
  coverage: field.column((record, name) => {
    const input = record[name]
    const value = typeof input === 'string' ? Number(input) : input
    return typeof value === 'number' && value >= 0 && value <= 100 ? value : null
  }),
  coverage_regex: field.constant(null),
  user_id: field.optionalPerson(),
  // Only web URLs are imported, because the window shows the value as a link.
  target_url: field.column((record, name) => {
    const url = textOf(record, name, 2048)
    return url !== null && /^https?:\/\//i.test(url) ? url : null
  }),
  description: field.text(MAX_NAME),
  environment: {
    write: (row) => row.environment,
    read: (record, _target, name): Row => {
      const environment = textOf(record, name, MAX_NAME)
      return environment ? { environment, environment_action: 'start' } : {}
    },
  },
  retried: field.flag(),
  failure_reason: field.column((record, name) => {
    const reason = record[name]
    const isReason = typeof reason === 'string' && /^\w{1,100}$/.test(reason)
    return isReason && record['status'] === 'failed' ? reason : null
  }),
  scheduling_type: {
    write: (row) => (row.needs === null ? 'stage' : 'dag'),
    read: (record, _target, name) => ({ needs: record[name] === 'dag' ? '[]' : null }),
  },
  scheduled_at: field.time(),
  queued_at: field.time(),
  started_at: field.time(),
  finished_at: field.time(),
  erased_at: field.time(),
  artifacts_expire_at: field.time(),
  lock_version: field.constant(0),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
}

/** The stages of a pipeline with their CI jobs. */
export function stageRecords(
  source: Source,
  {
    id,
    created_at,
    updated_at,
  }: { readonly id: number; readonly created_at: string; readonly updated_at: string },
): Fields[] {
  const stages = Map.groupBy(jobsOf<JobRow>(source, id), (job) => `${job.stage_index} ${job.stage}`)
  return [...stages.values()].map((jobs) => ({
    name: jobs[0]!.stage,
    status: stageStatus(jobs),
    position: jobs[0]!.stage_index,
    lock_version: 0,
    project_id: source.owner.id,
    created_at,
    updated_at,
    // Every release can read this list. Newer releases also have a list for each kind.
    statuses: jobs.map((job) => recordOf(FIELDS, job, source)),
  }))
}

/** The status of a stage, computed from its jobs that were not retried. */
function stageStatus(jobs: readonly JobRow[]): string {
  const newestJobs = jobs.filter((job) => !job.retried)
  const has = (status: string): boolean =>
    newestJobs.some((job) => job.status === status && (!job.allow_failure || status !== 'failed'))
  for (const status of ['running', 'pending', 'manual', 'scheduled', 'created', 'failed', 'canceled'])
    if (has(status)) return status
  return newestJobs.length > 0 && newestJobs.every((job) => job.status === 'skipped') ? 'skipped' : 'success'
}

/** The definition of a CI job, without secrets and without references to other jobs. */
function optionsRecord(text: string | null): Fields {
  if (text === null) return {}
  const { script, before_script, after_script, image } = JSON.parse(text) as Record<string, Json>
  const record: Record<string, Json> = {}
  for (const [name, value] of Object.entries({ script, before_script, after_script }))
    if (Array.isArray(value) && value.length > 0) record[name] = value as Json
  if (image !== null && image !== undefined) record['image'] = image
  return record
}

/** Names of the lists of CI jobs in a stage, and the kind of their jobs. `statuses` contains all kinds. */
const LISTS: readonly (readonly [name: string, kind: Kind | undefined])[] = [
  ['statuses', undefined],
  ['builds', 'job'],
  ['bridges', 'bridge'],
  ['generic_commit_statuses', 'external'],
]

/** Imports the CI jobs of a pipeline, stage by stage. In very old archives, the pipeline itself contains them. */
export function importJobs(record: Fields, target: Target, pipeline: Row): void {
  for (const [index, stage] of childrenOf(record, 'stages').entries()) {
    const name = textOf(stage, 'name', MAX_NAME) ?? 'test'
    importJobList(stage, target, pipeline, {
      stage: name,
      stage_idx: integerOf(stage, 'position', { min: 0 }) ?? index,
    })
  }
  importJobList(record, target, pipeline, { stage: 'test', stage_idx: 0 })
}

/** Imports the CI jobs of one stage. A job takes missing fields from the stage and the pipeline. */
function importJobList(record: Fields, target: Target, pipeline: Row, stage: Fields): void {
  const { ref, tag, protected: isProtected, created_at } = pipeline as Record<string, Json>
  const defaults: Fields = {
    ...stage,
    ref: ref!,
    tag: tag!,
    protected: isProtected!,
    created_at: created_at!,
  }
  for (const [name, kind] of LISTS)
    importEach(target, 'statuses', childrenOf(record, name), (job) => {
      const entries = Object.entries(job).filter(([, value]) => value !== null)
      importJob({ ...defaults, ...Object.fromEntries(entries) }, target, {
        pipeline,
        kind: kind ?? kindOf(job),
      })
    })
}

function kindOf({ type }: Fields): Kind {
  if (type === TYPES.bridge) return 'bridge'
  return type === TYPES.external ? 'external' : 'job'
}

function importJob(record: Fields, target: Target, { pipeline, kind }: { pipeline: Row; kind: Kind }): void {
  const columns = columnsOf(FIELDS, record, target)
  const ids = { pipeline_id: pipeline['id']!, project_id: target.owner.id }
  const job_id = target.insert('ci_jobs', { ...ids, kind, base: columns['name']!, ...columns })
  if (kind === 'external') return
  target.link('ci_job_details', {
    job_id,
    options: JSON.stringify(optionsOf(childOf(record, 'options') ?? {})),
    variables: JSON.stringify(variablesOf(record)),
  })
}

/** The texts in a list, shortened. Skips other values. */
function textsOf(value: Json | undefined, limit: number, maxLength: number): string[] {
  if (!Array.isArray(value)) return []
  const texts = (value as readonly Json[]).filter((item): item is string => typeof item === 'string')
  return texts.slice(0, limit).map((text) => text.slice(0, maxLength).replaceAll('\0', '').toWellFormed())
}

/** The definition for a retry: script and image of the job, without anything outside the job. */
function optionsOf(options: Fields): object {
  const script = (name: string): string[] => textsOf(options[name], MAX_LINES, MAX_LINE)
  return {
    script: script('script'),
    before_script: script('before_script'),
    after_script: script('after_script'),
    start_in: null,
    allowed_exit_codes: null,
    other_needs: { cross_pipeline: [], cross_project: [], bridge: null },
    dependencies: null,
    environment: null,
    resource_group: null,
    timeout: null,
    coverage: null,
    retry: null,
    parallel: null,
    image: imageOf(options['image']),
    services: [],
    cache: [],
    artifacts: null,
    release: null,
    secrets: null,
    id_tokens: null,
    hooks: null,
    trigger: null,
  }
}

function imageOf(image: Json | undefined): object | null {
  const name = typeof image === 'string' ? image : isFields(image) ? image['name'] : undefined
  return typeof name === 'string' && name.length <= 1000 ? { name } : null
}

function variablesOf(record: Fields): { key: string; value: string }[] {
  return childrenOf(record, 'yaml_variables')
    .slice(0, MAX_LINES)
    .flatMap(({ key, value }) =>
      typeof key === 'string' && /^\w{1,255}$/.test(key) && typeof value === 'string'
        ? [{ key, value: value.slice(0, MAX_LINE) }]
        : [],
    )
}
