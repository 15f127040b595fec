import type { Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../db/database.ts'
import type { Rows } from '../../db/rows.ts'
import type { CommitStatusesTable } from '../../db/schema.gen.ts'

/** A report as stored. */
export type StatusRow = Selectable<CommitStatusesTable>

/** What a report says. */
export type StatusWord = 'pending' | 'running' | 'success' | 'failed' | 'canceled'

/** What a list of reports is narrowed to. */
export interface StatusFilter {
  readonly project_id: number
  readonly sha: string
  readonly ref?: string | undefined
  readonly stage?: string | undefined
  readonly name?: string | undefined
  /** Older reports of the same name and ref too. */
  readonly all: boolean
  readonly sort: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/** Reports about a commit, in the order in which they came. */
export function list(db: Database, filter: StatusFilter): Rows<StatusRow> {
  let query = q
    .selectFrom('commit_statuses')
    .where('project_id', '=', filter.project_id)
    .where('sha', '=', filter.sha)
  if (filter.ref !== undefined) query = query.where('ref', '=', filter.ref)
  if (filter.stage !== undefined) query = query.where('stage', '=', filter.stage)
  if (filter.name !== undefined) query = query.where('name', '=', filter.name)
  if (!filter.all) query = query.where('retried', '=', 0)
  const rows = db.all<StatusRow>(
    query.selectAll().orderBy('id', filter.sort).limit(filter.limit).offset(filter.offset),
  )
  const { total } = db.get<{ total: number }>(query.select((eb) => eb.fn.countAll<number>().as('total')))!
  return { rows, total }
}

/** Whose state is asked for: all reports of one name about a commit on a ref. */
export interface StatusKey {
  readonly project_id: number
  readonly sha: string
  readonly ref: string
  readonly name: string
}

/** The report that is still waiting or running. */
export function unfinished(db: Database, key: StatusKey): StatusRow | undefined {
  return db.one<StatusRow>(
    `SELECT * FROM commit_statuses WHERE project_id = ? AND sha = ? AND ref = ? AND name = ?
       AND status IN ('pending', 'running') ORDER BY id DESC LIMIT 1`,
    key.project_id,
    key.sha,
    key.ref,
    key.name,
  )
}

export function insert(db: Database, row: Omit<StatusRow, 'id'>): StatusRow {
  return db.get(q.insertInto('commit_statuses').values(row).returningAll())!
}

export function update(db: Database, id: number, changes: Partial<Omit<StatusRow, 'id'>>): StatusRow {
  return db.get(q.updateTable('commit_statuses').set(changes).where('id', '=', id).returningAll())!
}

/** Marks all earlier reports of the same name as replaced by this one. */
export function retire(db: Database, key: StatusKey, newest: number): void {
  db.exec(
    `UPDATE commit_statuses SET retried = 1 WHERE project_id = ? AND sha = ? AND ref = ? AND name = ? AND id < ?
       AND retried = 0`,
    key.project_id,
    key.sha,
    key.ref,
    key.name,
    newest,
  )
}

/** What the current reports about commits say, in no order. */
export function currentWords(
  db: Database,
  projectId: number,
  shas: readonly string[],
): { sha: string; status: StatusWord; allow_failure: number }[] {
  return db.many(
    `SELECT sha, status, allow_failure FROM commit_statuses
     WHERE project_id = ? AND sha IN (SELECT value FROM json_each(?)) AND retried = 0`,
    projectId,
    jsonList([...new Set(shas)]),
  )
}
