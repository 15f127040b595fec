import { childOf, flagOf, oneOf, requiredText, shaOf, textOf, timeOf, wholeOf } from './checked.ts'
import { stageRecords } from './ci_jobs/records.ts'
import { takeJobs } from './ci_jobs/take.ts'
import { endedStatus } from './ci_jobs/statuses.ts'
import { personOrNone } from './children/people.ts'
import { relation, UnusableRecord, type Fields, type Target } from './relation.ts'

/** What pipelines come of (spec ci 2.6); anything else was a push. */
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

interface PipelineToWrite {
  readonly id: number
  readonly iid: number
  readonly ref: string
  readonly sha: string
  readonly before_sha: string
  readonly tag: boolean
  readonly yaml_errors: string | null
  readonly committed_at: string | null
  readonly status: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly duration: number | null
  readonly user_id: number | null
  readonly lock_version: number
  readonly source: string
  readonly protected: boolean
  readonly failure_reason: string | null
  readonly name: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly request_iid: number | null
  readonly request_title: string | null
}

const SELECT = `
  SELECT p.*, m.iid AS request_iid, m.title AS request_title FROM ci_pipelines p
  LEFT JOIN merge_requests m ON m.id = p.merge_request_id AND m.project_id = p.project_id
  WHERE p.project_id = ? ORDER BY p.id`

/**
 * Pipelines with their stages and jobs: how they ended, not their logs, artifacts, tokens and variables. What was still under
 * way is canceled where it is taken over (spec administration 6.5).
 */
export const ci_pipelines = relation({
  name: 'ci_pipelines',
  of: ['project'],
  *records({ db, owner }) {
    for (const row of db.each<PipelineToWrite>(SELECT, owner.id))
      yield { ...pipelineRecord(row, owner.id), stages: stageRecords(db, row, owner.id) }
  },
  count: ({ db, owner }) =>
    db.one<{ n: number }>('SELECT count(*) AS n FROM ci_pipelines WHERE project_id = ?', owner.id)!.n,
  take(record, into) {
    const pipeline = columnsOf(record, into)
    const id = into.insert('ci_pipelines', pipeline)
    takeJobs(record, into, { ...pipeline, id })
  },
})

function pipelineRecord(row: PipelineToWrite, project_id: number): Fields {
  const { request_iid, request_title, name } = row
  return {
    ref: row.ref,
    sha: row.sha,
    before_sha: row.before_sha,
    tag: row.tag,
    yaml_errors: row.yaml_errors,
    committed_at: row.committed_at,
    status: row.status,
    started_at: row.started_at,
    finished_at: row.finished_at,
    duration: row.duration,
    user_id: row.user_id,
    lock_version: row.lock_version,
    source: row.source,
    protected: row.protected,
    config_source: 'repository_source',
    failure_reason: row.failure_reason,
    iid: row.iid,
    source_sha: null,
    target_sha: null,
    project_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    external_pull_request: null,
    merge_request: request_iid === null ? null : { iid: request_iid, title: request_title },
    pipeline_metadata: name === null ? null : { project_id, name },
  }
}

function columnsOf(record: Fields, into: Target) {
  const sha = shaOf(record, 'sha')
  if (sha === null) throw new UnusableRecord("sha can't be blank")
  const created_at = timeOf(record, 'created_at') ?? into.now
  const metadata = childOf(record, 'pipeline_metadata')
  return {
    project_id: into.owner.id,
    iid: numberOf(record, into),
    user_id: personOrNone(record, 'user_id', into),
    source: oneOf(record, 'source', SOURCES, 'push'),
    status: endedStatus(record),
    ref: requiredText(record, 'ref', 1024),
    tag: flagOf(record, 'tag'),
    sha,
    before_sha: shaOf(record, 'before_sha') ?? '0'.repeat(40),
    protected: flagOf(record, 'protected'),
    name: metadata ? textOf(metadata, 'name', 255) : null,
    yaml_errors: textOf(record, 'yaml_errors'),
    failure_reason: wordOf(record, 'failure_reason'),
    merge_request_id: requestOf(record, into),
    committed_at: timeOf(record, 'committed_at'),
    created_at,
    updated_at: timeOf(record, 'updated_at') ?? created_at,
    started_at: timeOf(record, 'started_at'),
    finished_at: timeOf(record, 'finished_at'),
    duration: wholeOf(record, 'duration', { min: 0 }),
    lock_version: wholeOf(record, 'lock_version', { min: 0 }) ?? 0,
  }
}

/** Its number; archives of old releases give pipelines none, and they are counted here. */
function numberOf(record: Fields, into: Target): number {
  const highest = into.recall('ci_pipelines', 'highest') ?? 0
  const iid = wholeOf(record, 'iid', { min: 1 }) ?? highest + 1
  into.remember('ci_pipelines', 'highest', Math.max(highest, iid))
  return iid
}

/** The merge request that it is about: named by its record, or by the ref. */
function requestOf(record: Fields, into: Target): number | null {
  const { ref } = record
  const named = childOf(record, 'merge_request')?.['iid']
  const inRef = typeof ref === 'string' ? /^refs\/merge-requests\/(\d{1,9})\//.exec(ref)?.[1] : undefined
  const iid = typeof named === 'number' ? named : inRef
  return iid === undefined ? null : (into.recall('merge_request', iid) ?? null)
}

function wordOf(record: Fields, name: string): string | null {
  const value = record[name]
  return typeof value === 'string' && /^\w{1,100}$/.test(value) ? value : null
}
