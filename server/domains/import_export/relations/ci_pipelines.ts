import type { Selectable } from 'kysely'

import type { CiPipelinesTable } from '../../../db/schema.gen.ts'
import { nextRun } from '../../../lib/cron.ts'
import { childOf, requiredText, shaOf, textOf, wholeOf } from './checked.ts'
import { endedStatus, stageRecords, importJobs } from './ci_jobs.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, rowsAs, type ColumnMap } from './columns.ts'
import { relation, UnusableRecord, type Fields, type Target } from './relation.ts'
import { countOf, pipelinesOf } from './store.ts'

/** Sources of pipelines (spec ci 2.6); anything else was a push. */
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
  status: field.column(endedStatus),
  started_at: field.time(),
  finished_at: field.time(),
  duration: field.integer({ min: 0 }),
  user_id: field.maybePerson(),
  lock_version: field.integer({ min: 0 }, 0),
  source: field.choice(SOURCES, 'push'),
  protected: field.flag(),
  config_source: field.always('repository_source'),
  failure_reason: field.column((record, name) => {
    const reason = record[name]
    return typeof reason === 'string' && /^\w{1,100}$/.test(reason) ? reason : null
  }),
  iid: field.column(numberOf),
  source_sha: field.always(null),
  target_sha: field.always(null),
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  external_pull_request: field.always(null),
  merge_request: {
    write: ({ request_iid: iid, request_title: title }) => (iid === null ? null : { iid, title }),
    read: (record, into) => ({ merge_request_id: requestOf(record, into) }),
  },
  pipeline_metadata: {
    write: ({ name }, { owner }) => (name === null ? null : { project_id: owner.id, name }),
    read: (record, _into, field) => {
      const metadata = childOf(record, field)
      return { name: metadata ? textOf(metadata, 'name', 255) : null }
    },
  },
  stages: field.written<PipelineRow>((row, from) => stageRecords(from, row)),
}

/**
 * Pipelines with their stages and CI jobs: their results, without logs, artifacts, tokens and variables. An import cancels those
 * in progress (spec administration 6.5).
 */
export const ci_pipelines = relation({
  name: 'ci_pipelines',
  of: ['project'],
  *records(from) {
    for (const row of pipelinesOf<PipelineRow>(from)) yield recordOf(FIELDS, row, from)
  },
  count: (from) => countOf(from, 'ci_pipelines'),
  importRecord(record, into) {
    const columns = columnsOf(FIELDS, record, into)
    const id = into.insert('ci_pipelines', { project_id: into.owner.id, ...columns })
    importJobs(record, into, { ...columns, id })
  },
})

/** The number of a pipeline; archives of old releases have none, so the import numbers them. */
function numberOf(record: Fields, name: string, into: Target): number {
  const highest = into.recall('ci_pipelines', 'highest') ?? 0
  const iid = wholeOf(record, name, { min: 1 }) ?? highest + 1
  into.remember('ci_pipelines', 'highest', Math.max(highest, iid))
  return iid
}

/** The merge request that a pipeline is for: named by its record, or by the ref. */
function requestOf(record: Fields, into: Target): number | null {
  const { ref } = record
  const requestIid = childOf(record, 'merge_request')?.['iid']
  const inRef = typeof ref === 'string' ? /^refs\/merge-requests\/(\d{1,9})\//.exec(ref)?.[1] : undefined
  const iid = typeof requestIid === 'number' ? requestIid : inRef
  return iid === undefined ? null : (into.recall('merge_request', iid) ?? null)
}

const SCHEDULE_FIELDS: ColumnMap = {
  description: field.required(255),
  ref: field.required(1024),
  cron: field.column(cronOf),
  cron_timezone: field.text(255, 'UTC'),
  next_run_at: field.time(),
  active: { write: (row) => row['active']!, read: () => ({ active: false }) },
  owner_id: { write: (row) => row['owner_id']!, read: (_record, into) => ({ owner_id: into.importer_id }) },
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
}

/** Pipeline schedules. An import makes them inactive, and the importer their owner (spec administration 6.5). */
export const pipeline_schedules = relation({
  name: 'pipeline_schedules',
  of: ['project'],
  ...rowsAs('ci_schedules', SCHEDULE_FIELDS),
  importRecord(record, into) {
    const columns = columnsOf(SCHEDULE_FIELDS, record, into)
    into.insert('ci_schedules', { project_id: into.owner.id, ...columns })
  },
})

function cronOf(record: Fields, name: string): string {
  const cron = requiredText(record, name, 255).trim()
  try {
    const isFive = /^(?:@[a-z]+|[\dA-Za-z*,/#-]+(?:\s+[\dA-Za-z*,/#-]+){4})$/.test(cron)
    if (isFive && nextRun(cron.replaceAll(/(^|[\s,])\d+\/(\d+)/g, '$1*/$2'), 0) !== undefined) return cron
  } catch {
    // Invalid, like all other errors at this point.
  }
  throw new UnusableRecord('cron syntax is invalid')
}
