import type { JobRow } from '../jobs/store.ts'
import { q, type Database } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'

/** A commit status as stored. Those of other systems are jobs of the kind `external`, in a pipeline of the commit. */
export interface StatusRow {
  readonly id: number
  readonly project_id: number
  readonly pipeline_id: number
  /** `external` for statuses of other systems, `job` and `bridge` for CI jobs. */
  readonly kind: JobRow['kind']
  readonly sha: string
  readonly ref: string
  readonly name: string
  readonly stage: string
  readonly status: JobRow['status']
  readonly target_url: string | null
  readonly description: string | null
  readonly coverage: number | null
  readonly allow_failure: boolean
  readonly author_id: number | null
  readonly retried: boolean
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

/** The states that another system can set. */
export type StatusState = 'pending' | 'running' | 'success' | 'failed' | 'canceled'

/** The filters of a list of commit statuses. */
export interface StatusFilter {
  readonly project_id: number
  readonly sha: string
  readonly ref?: string | undefined
  readonly stage?: string | undefined
  readonly name?: string | undefined
  /** Whether to leave out CI jobs. */
  readonly externalOnly: boolean
  /** Whether to include older statuses of the same name and ref. */
  readonly all: boolean
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

const COLUMNS = `j.id, j.project_id, j.pipeline_id, j.kind, p.sha, j.ref, j.name, j.stage, j.status, j.target_url, j.description,
  j.coverage, j.allow_failure, j.user_id AS author_id, j.retried, j.created_at, j.started_at, j.finished_at`
const FROM = 'FROM ci_pipelines p JOIN ci_jobs j ON j.pipeline_id = p.id'

/** The statuses of a commit, by ID. */
export function list(db: Database, filter: StatusFilter): Rows<StatusRow> {
  const conditions = ['p.project_id = ?', 'p.sha = ?']
  const values: (string | number)[] = [filter.project_id, filter.sha]
  for (const column of ['ref', 'stage', 'name'] as const) {
    const value = filter[column]
    if (value === undefined) continue
    conditions.push(`j.${column} = ?`)
    values.push(value)
  }
  if (!filter.all) conditions.push('j.retried = 0')
  if (filter.externalOnly) conditions.push("j.kind = 'external'")
  const where = `${FROM} WHERE ${conditions.join(' AND ')}`
  const rows = db.many<StatusRow>(
    `SELECT ${COLUMNS} ${where} ORDER BY j.id ${filter.sort === 'asc' ? 'ASC' : 'DESC'} LIMIT ? OFFSET ?`,
    ...values,
    filter.limit,
    filter.offset,
  )
  const { total } = db.one<{ total: number }>(`SELECT count(*) AS total ${where}`, ...values)!
  return { rows, total }
}

/** Identifies the external statuses with one name in a pipeline. */
export interface StatusKey {
  readonly pipeline_id: number
  readonly name: string
}

function byId(db: Database, id: number): StatusRow {
  return db.one<StatusRow>(`SELECT ${COLUMNS} ${FROM} WHERE j.id = ?`, id)!
}

/** The newest pending or running status. */
export function unfinished(db: Database, key: StatusKey): StatusRow | undefined {
  return db.one<StatusRow>(
    `SELECT ${COLUMNS} ${FROM} WHERE j.pipeline_id = ? AND j.name = ? AND j.kind = 'external'
       AND j.status IN ('pending', 'running') ORDER BY j.id DESC LIMIT 1`,
    key.pipeline_id,
    key.name,
  )
}

/** The columns of a new status. */
export type NewStatus = Omit<StatusRow, 'id' | 'sha' | 'kind' | 'retried' | 'allow_failure' | 'stage'>

/** The index of the stage of external statuses, after all stages of pipelines. */
const STAGE_INDEX = 1_000_000

export function insert(db: Database, row: NewStatus): StatusRow {
  const { author_id, ...job } = row
  const { id } = db.run(
    q.insertInto('ci_jobs').values({
      ...job,
      kind: 'external',
      base: row.name,
      stage: 'external',
      stage_index: STAGE_INDEX,
      user_id: author_id,
      updated_at: row.created_at,
    }),
  )
  return byId(db, id)
}

/** The columns of a status that can change. */
export type StatusChanges = Partial<
  Pick<StatusRow, 'status' | 'target_url' | 'description' | 'coverage' | 'started_at' | 'finished_at'>
>

export function update(db: Database, id: number, changes: StatusChanges, now: string): StatusRow {
  db.run(
    q
      .updateTable('ci_jobs')
      .set({ ...changes, updated_at: now })
      .where('id', '=', id),
  )
  return byId(db, id)
}

/** Marks all earlier statuses of the same name as replaced. */
export function markReplaced(db: Database, key: StatusKey, newest: number): void {
  db.exec(
    `UPDATE ci_jobs SET retried = 1 WHERE pipeline_id = ? AND name = ? AND kind = 'external' AND id < ? AND retried = 0`,
    key.pipeline_id,
    key.name,
    newest,
  )
}
