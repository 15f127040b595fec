import type { Selectable } from 'kysely'

import type { CiPipelinesTable } from '../../../db/schema.gen.ts'
import { nextRun } from '../../../lib/cron.ts'
import { childOf, requiredText, shaOf, textOf, integerOf } from './checked.ts'
import { finalStatus, stageRecords, importJobs } from './ci_jobs.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, rowsAs, type ColumnMap } from './columns.ts'
import { relation, UnusableRecord, type Fields, type Target } from './relation.ts'
import { countOf, pipelinesOf } from './store.ts'

/** Sources of pipelines (spec ci 2.6). Other values become `push`. */
const SOURCES = [
  'push',
  'web',
  'trigger',
  'schedule',
  'api',
  'external',
  'pipeline',
  'chat',
  'webide',
  'merge_request_event',
  'external_pull_request_event',
  'parent_pipeline',
  'ondemand_dast_scan',
  'ondemand_dast_validation',
  'security_orchestration_policy',
] as const

/** A pipeline with its merge request, if it has one. */
type PipelineRow = Selectable<CiPipelinesTable> & {
  readonly request_iid: number | null
  readonly request_title: string | null
}

const FIELDS: ColumnMap<PipelineRow> = {
  ref: field.required(1024),
  sha: field.column((record, name) => {
    const sha = shaOf(record, name)
    if (sha === null) throw new UnusableRecord("sha can't be blank")
    return sha
  }),
  before_sha: field.column((record, name) => shaOf(record, name) ?? '0'.repeat(40)),
  tag: field.flag(),
  yaml_errors: field.text(),
  committed_at: field.time(),
  status: field.column(finalStatus),
  started_at: field.time(),
  finished_at: field.time(),
  duration: field.integer({ min: 0 }),
  user_id: field.optionalPerson(),
  lock_version: field.integer({ min: 0 }, 0),
  source: field.choice(SOURCES, 'push'),
  protected: field.flag(),
  config_source: field.constant('repository_source'),
  failure_reason: field.column((record, name) => {
    const reason = record[name]
    return typeof reason === 'string' && /^\w{1,100}$/.test(reason) ? reason : null
  }),
  iid: field.column(numberOf),
  source_sha: field.constant(null),
  target_sha: field.constant(null),
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  external_pull_request: field.constant(null),
  merge_request: {
    write: ({ request_iid: iid, request_title: title }) => (iid === null ? null : { iid, title }),
    read: (record, target) => ({ merge_request_id: requestOf(record, target) }),
  },
  pipeline_metadata: {
    write: ({ name }, { owner }) => (name === null ? null : { project_id: owner.id, name }),
    read: (record, _target, field) => {
      const metadata = childOf(record, field)
      return { name: metadata ? textOf(metadata, 'name', 255) : null }
    },
  },
  stages: field.computed<PipelineRow>((row, source) => stageRecords(source, row)),
}

/**
 * Pipelines with the results of their stages and CI jobs, without logs, artifacts, tokens and variables. An import
 * cancels active ones (spec administration 6.5).
 */
export const ci_pipelines = relation({
  name: 'ci_pipelines',
  ownerKinds: ['project'],
  *records(source) {
    for (const row of pipelinesOf<PipelineRow>(source)) yield recordOf(FIELDS, row, source)
  },
  count: (source) => countOf(source, 'ci_pipelines'),
  importRecord(record, target) {
    const columns = columnsOf(FIELDS, record, target)
    const id = target.insert('ci_pipelines', { project_id: target.owner.id, ...columns })
    importJobs(record, target, { ...columns, id })
  },
})

/** The number of a pipeline. Archives of old releases have none, so the import assigns it. */
function numberOf(record: Fields, name: string, target: Target): number {
  const highest = target.recall('ci_pipelines', 'highest') ?? 0
  const iid = integerOf(record, name, { min: 1 }) ?? highest + 1
  target.remember('ci_pipelines', 'highest', Math.max(highest, iid))
  return iid
}

/** The ID of the pipeline's merge request, which is named in its record or in its ref; null if there is none. */
function requestOf(record: Fields, target: Target): number | null {
  const { ref } = record
  const requestIid = childOf(record, 'merge_request')?.['iid']
  const iidInRef = typeof ref === 'string' ? /^refs\/merge-requests\/(\d{1,9})\//.exec(ref)?.[1] : undefined
  const iid = typeof requestIid === 'number' ? requestIid : iidInRef
  return iid === undefined ? null : (target.recall('merge_request', iid) ?? null)
}

const SCHEDULE_FIELDS: ColumnMap = {
  description: field.required(255),
  ref: field.required(1024),
  cron: field.column(cronOf),
  cron_timezone: field.text(255, 'UTC'),
  next_run_at: field.time(),
  active: { write: (row) => row['active']!, read: () => ({ active: false }) },
  owner_id: {
    write: (row) => row['owner_id']!,
    read: (_record, target) => ({ owner_id: target.importer_id }),
  },
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
}

/** Pipeline schedules. An import deactivates them and makes the importer their owner (spec administration 6.5). */
export const pipeline_schedules = relation({
  name: 'pipeline_schedules',
  ownerKinds: ['project'],
  ...rowsAs('ci_schedules', SCHEDULE_FIELDS),
  importRecord(record, target) {
    const columns = columnsOf(SCHEDULE_FIELDS, record, target)
    target.insert('ci_schedules', { project_id: target.owner.id, ...columns })
  },
})

function cronOf(record: Fields, name: string): string {
  const cron = requiredText(record, name, 255).trim()
  try {
    const hasFiveFields = /^(?:@[a-z]+|[\dA-Za-z*,/#-]+(?:\s+[\dA-Za-z*,/#-]+){4})$/.test(cron)
    if (hasFiveFields && nextRun(cron.replaceAll(/(^|[\s,])\d+\/(\d+)/g, '$1*/$2'), 0) !== undefined)
      return cron
  } catch {
    // `nextRun` throws for an invalid syntax.
  }
  throw new UnusableRecord('cron syntax is invalid')
}
