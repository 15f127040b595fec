import type { Selectable } from 'kysely'

import type { Database } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import type { RepositoryStorageMovesTable } from '../../../db/schema.gen.ts'
import type { Kind } from './container.ts'

/** How far a move is (spec administration 9). */
export type State =
  | 'initial'
  | 'scheduled'
  | 'started'
  | 'replicated'
  | 'finished'
  | 'failed'
  | 'cleanup failed'

export type MoveRow = Selectable<RepositoryStorageMovesTable> & { kind: Kind; state: State }

export function byId(db: Database, id: number): MoveRow | undefined {
  return db.one<MoveRow>('SELECT * FROM repository_storage_moves WHERE id = ?', id)
}

/** Which moves are asked for: those of one kind, or of one container. */
export interface MoveFilter {
  readonly kind: Kind
  readonly container_id?: number
}

function where({ kind, container_id }: MoveFilter): { text: string; values: unknown[] } {
  return container_id === undefined
    ? { text: 'kind = ?', values: [kind] }
    : { text: `${kind}_id = ?`, values: [container_id] }
}

export function find(db: Database, id: number, filter: MoveFilter): MoveRow | undefined {
  const { text, values } = where(filter)
  return db.one<MoveRow>(`SELECT * FROM repository_storage_moves WHERE id = ? AND ${text}`, id, ...values)
}

/** One page of moves, newest first. */
export function list(
  db: Database,
  filter: MoveFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Rows<MoveRow> {
  const { text, values } = where(filter)
  const rows = db.many<MoveRow>(
    `SELECT * FROM repository_storage_moves WHERE ${text} ORDER BY id DESC LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  )
  const counted = `SELECT count(*) AS total FROM repository_storage_moves WHERE ${text}`
  return { rows, total: db.one<{ total: number }>(counted, ...values)!.total }
}

/** Moves of all kinds: under way, or ended badly. */
export interface LineFilter {
  readonly state?: 'open' | 'failed' | undefined
}

const LINES = {
  open: "WHERE state IN ('initial', 'scheduled', 'started', 'replicated')",
  failed: "WHERE state IN ('failed', 'cleanup failed')",
  all: '',
}

/** One page of moves of all kinds, newest first. */
export function lines(
  db: Database,
  { state }: LineFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Rows<MoveRow> {
  const from = `FROM repository_storage_moves ${LINES[state ?? 'all']}`
  const rows = db.many<MoveRow>(`SELECT * ${from} ORDER BY id DESC LIMIT ? OFFSET ?`, limit, offset)
  return { rows, total: db.one<{ total: number }>(`SELECT count(*) AS total ${from}`)!.total }
}

/** True while the copy that an earlier move left behind in a storage is still to be removed. */
export function isBeingCleared(db: Database, kind: Kind, id: number, storage: string): boolean {
  const sql = `SELECT 1 FROM repository_storage_moves
    WHERE ${kind}_id = ? AND state = 'replicated' AND source_storage_name = ?`
  return db.one(sql, id, storage) !== undefined
}

export interface NewMove {
  readonly kind: Kind
  readonly container_id: number
  readonly source_storage_name: string
  readonly destination_storage_name: string
  readonly now: string
}

/** Stores a move that is scheduled. */
export function insert(db: Database, move: NewMove): MoveRow {
  return db.one<MoveRow>(
    `INSERT INTO repository_storage_moves (kind, ${move.kind}_id, state, source_storage_name,
       destination_storage_name, created_at, updated_at) VALUES (?, ?, 'scheduled', ?, ?, ?, ?) RETURNING *`,
    move.kind,
    move.container_id,
    move.source_storage_name,
    move.destination_storage_name,
    move.now,
    move.now,
  )!
}

/** What can be said of a move as it goes on. */
export type MoveChanges = Partial<Pick<MoveRow, 'state' | 'bytes_done' | 'bytes_total' | 'error_message'>>

/** Undefined when the move is gone, with what it was about. */
export function update(db: Database, id: number, changes: MoveChanges, now: string): MoveRow | undefined {
  const names = Object.keys(changes) as (keyof MoveChanges)[]
  return db.one<MoveRow>(
    `UPDATE repository_storage_moves SET ${names.map((name) => `${name} = ?, `).join('')}updated_at = ?
     WHERE id = ? RETURNING *`,
    ...names.map((name) => changes[name]),
    now,
    id,
  )
}
