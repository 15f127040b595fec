import type { Selectable } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import type { RepositoryStorageMovesTable } from '../../../db/schema.gen.ts'
import { setWikiStorage } from '../../wikis/index.ts'

/** The state of a move (spec administration 9). */
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

/** Filter of moves: all of one kind, or those of one container. */
export interface MoveFilter {
  readonly kind: Kind
  readonly container_id?: number
}

function conditionOf({ kind, container_id }: MoveFilter): { text: string; values: unknown[] } {
  return container_id === undefined
    ? { text: 'kind = ?', values: [kind] }
    : { text: `${kind}_id = ?`, values: [container_id] }
}

export function find(db: Database, id: number, filter: MoveFilter): MoveRow | undefined {
  const { text, values } = conditionOf(filter)
  return db.one<MoveRow>(`SELECT * FROM repository_storage_moves WHERE id = ? AND ${text}`, id, ...values)
}

/** Returns one page of moves, the newest first. */
export function list(
  db: Database,
  filter: MoveFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Rows<MoveRow> {
  const { text, values } = conditionOf(filter)
  const rows = db.many<MoveRow>(
    `SELECT * FROM repository_storage_moves WHERE ${text} ORDER BY id DESC LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  )
  const countQuery = `SELECT count(*) AS total FROM repository_storage_moves WHERE ${text}`
  return { rows, total: db.one<{ total: number }>(countQuery, ...values)!.total }
}

/** Filter of moves of all kinds. `open` moves have not ended. */
export interface MoveStateFilter {
  readonly state?: 'open' | 'failed' | undefined
}

const STATE_CONDITIONS = {
  open: "WHERE state IN ('initial', 'scheduled', 'started', 'replicated')",
  failed: "WHERE state IN ('failed', 'cleanup failed')",
  all: '',
}

/** Returns one page of moves of all kinds, the newest first. */
export function listAll(
  db: Database,
  { state }: MoveStateFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Rows<MoveRow> {
  const from = `FROM repository_storage_moves ${STATE_CONDITIONS[state ?? 'all']}`
  const rows = db.many<MoveRow>(`SELECT * ${from} ORDER BY id DESC LIMIT ? OFFSET ?`, limit, offset)
  return { rows, total: db.one<{ total: number }>(`SELECT count(*) AS total ${from}`)!.total }
}

/** Returns true while the old copy of an earlier move in a storage is not removed yet. */
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

/** Inserts a scheduled move. */
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

/** The columns that change while a move runs. */
export type MoveChanges = Partial<Pick<MoveRow, 'state' | 'bytes_done' | 'bytes_total' | 'error_message'>>

/** Updates a move. Returns undefined if the move was deleted with its container. */
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

/** The kinds of moves: the code and wiki of a project, a snippet, or the wiki of a group. */
export const KINDS = ['project', 'snippet', 'group'] as const

export type Kind = (typeof KINDS)[number]

/** The project, the snippet or the group with the repositories to move. */
export interface Container {
  readonly id: number
  readonly repository_storage: string
  readonly repository_read_only: boolean
  readonly repository_state: string
  readonly disk_path: string
}

/** The table of each kind, the column with the id of its container, and a condition on its rows. */
export const TABLES: Readonly<Record<Kind, { table: string; id: string; only: string }>> = {
  project: { table: 'projects', id: 'id', only: '' },
  snippet: { table: 'snippets', id: 'id', only: '' },
  // Only wikis of groups: the wiki of a project moves with the project.
  group: { table: 'wikis', id: 'group_id', only: 'AND group_id IS NOT NULL' },
}

/** Returns a container; undefined for a deleted one, and for a group without a wiki. */
export function containerOf(db: Database, kind: Kind, id: number): Container | undefined {
  const { table, id: key } = TABLES[kind]
  return db.one<Container>(
    `SELECT ${key} AS id, repository_storage, repository_read_only, repository_state, disk_path FROM ${table}
     WHERE ${key} = ?`,
    id,
  )
}

/** Returns the ids of the containers in a storage that are greater than `after`, the lowest first. */
export function containersIn(
  db: Database,
  kind: Kind,
  { storage, after, limit }: { readonly storage: string; readonly after: number; readonly limit: number },
): number[] {
  const { table, id, only } = TABLES[kind]

  const rows = db.many<{ id: number }>(
    `SELECT ${id} AS id FROM ${table} WHERE repository_storage = ? AND ${id} > ? ${only} ORDER BY ${id} LIMIT ?`,
    storage,
    after,
    limit,
  )
  return rows.map((row) => row.id)
}

/**
 * Stores the new storage of a repository and makes the repository writable. Returns false if the container was
 * deleted.
 */
export function setStorage(
  db: Database,
  kind: Kind,
  id: number,
  { storage, now }: { readonly storage: string; readonly now: string },
): boolean {
  const { table, id: key } = TABLES[kind]
  const { changes } = db.exec(
    `UPDATE ${table} SET repository_storage = ?, repository_read_only = 0, updated_at = max(updated_at, ?)
     WHERE ${key} = ?`,
    storage,
    now,
    id,
  )
  if (kind === 'project') setWikiStorage(db, id, storage)
  return changes > 0
}
