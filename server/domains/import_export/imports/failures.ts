import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'

/** A record that could not be taken over. */
export interface FailedRecord {
  readonly relation_name?: string | null
  readonly line_number?: number | null
  /** What was working on it, as people read it: `process_relation_item!`, a stage's name. */
  readonly source: string
  readonly exception_class: string
  readonly exception_message: string
}

/** A stored one. */
export interface FailureRow {
  readonly id: number
  readonly created_at: string
  readonly exception_class: string
  readonly exception_message: string
  readonly source: string
  readonly relation_name: string | null
  readonly line_number: number | null
}

/** Whose records they were. */
export type FailureOwner = { readonly project_id: number } | { readonly group_id: number }

/** What answers show of them at most (spec administration 6.4). */
export const MOST_SHOWN = 100
const MAX_TEXT = 2000

const columnOf = (owner: FailureOwner): ['project_id' | 'group_id', number] =>
  'project_id' in owner ? ['project_id', owner.project_id] : ['group_id', owner.group_id]

/** Notes records that were left out, in one transaction; the import goes on. */
export function recordFailures(ctx: Ctx, owner: FailureOwner, failures: readonly FailedRecord[]): void {
  const [column, id] = columnOf(owner)
  tx(ctx.db, () => {
    for (const one of failures)
      ctx.db.exec(
        `INSERT INTO import_failures (${column}, correlation_id, relation_name, line_number, source, exception_class,
           exception_message, created_at)
         VALUES (?, (SELECT correlation_id FROM import_runs WHERE project_id = ?), ?, ?, ?, ?, ?, ?)`,
        id,
        column === 'project_id' ? id : null,
        one.relation_name ?? null,
        one.line_number ?? null,
        one.source.slice(0, MAX_TEXT),
        one.exception_class.slice(0, MAX_TEXT),
        one.exception_message.slice(0, MAX_TEXT),
        ctx.now,
      )
  })
}

export function clearFailures(db: Database, owner: FailureOwner): void {
  const [column, id] = columnOf(owner)
  db.exec(`DELETE FROM import_failures WHERE ${column} = ?`, id)
}

const SHOWN = 'id, created_at, exception_class, exception_message, source, relation_name, line_number'

/** One page of the records that were left out, in the order in which that happened. */
export function failuresOf(
  db: Database,
  owner: FailureOwner,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Rows<FailureRow> {
  const [column, id] = columnOf(owner)
  const rows = db.many<FailureRow>(
    `SELECT ${SHOWN} FROM import_failures WHERE ${column} = ? ORDER BY id LIMIT ? OFFSET ?`,
    id,
    limit,
    offset,
  )
  return { rows, total: countFailures(db, owner) }
}

export function countFailures(db: Database, owner: FailureOwner): number {
  const [column, id] = columnOf(owner)
  const sql = `SELECT count(*) AS total FROM import_failures WHERE ${column} = ?`
  return db.one<{ total: number }>(sql, id)!.total
}
