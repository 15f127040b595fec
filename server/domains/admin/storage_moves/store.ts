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

/** Conditions on moves: one kind, or one container. */
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

/** One page of moves, newest first. */
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
  const counted = `SELECT count(*) AS total FROM repository_storage_moves WHERE ${text}`
  return { rows, total: db.one<{ total: number }>(counted, ...values)!.total }
}

/** Conditions on moves of all kinds: running or failed ones. */
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

/** True while the old copy of an earlier move is still to be removed from a storage. */
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

/** The columns that change while a move runs. */
export type MoveChanges = Partial<Pick<MoveRow, 'state' | 'bytes_done' | 'bytes_total' | 'error_message'>>

/** Undefined when the move was deleted with its container. */
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

/** What moves: the code of a project with its wiki, a snippet, or the wiki of a group. */
export const KINDS = ['project', 'snippet', 'group'] as const

export type Kind = (typeof KINDS)[number]

/** The owner of the repositories that move. `id`: of the project, the snippet or the group. */
export interface Container {
  readonly id: number
  readonly repository_storage: string
  readonly repository_read_only: boolean
  readonly repository_state: string
  readonly disk_path: string
}

/** The table of each kind, and the columns that find a row. */
export const TABLES: Readonly<Record<Kind, { table: string; id: string; only: string }>> = {
  project: { table: 'projects', id: 'id', only: '' },
  snippet: { table: 'snippets', id: 'id', only: '' },
  // The wiki of a project moves with the project.
  group: { table: 'wikis', id: 'group_id', only: 'AND group_id IS NOT NULL' },
}

/** Undefined for a deleted container, and for a group without a wiki. */
export function containerOf(db: Database, kind: Kind, id: number): Container | undefined {
  const { table, id: key } = TABLES[kind]
  return db.one<Container>(
    `SELECT ${key} AS id, repository_storage, repository_read_only, repository_state, disk_path FROM ${table}
     WHERE ${key} = ?`,
    id,
  )
}

/** Ids of the containers in a storage that are greater than `after`, lowest first. */
export function containersIn(
  db: Database,
  kind: Kind,
  { storage, after, limit }: { readonly storage: string; readonly after: number; readonly limit: number },
): number[] {
  const { table, id, only } = TABLES[kind]
  // Groups are listed by the id of the wiki, which only grows.
  const rows = db.many<{ id: number }>(
    `SELECT ${id} AS id FROM ${table} WHERE repository_storage = ? AND ${id} > ? ${only} ORDER BY ${id} LIMIT ?`,
    storage,
    after,
    limit,
  )
  return rows.map((row) => row.id)
}

/** Stores the new storage of a repository and makes it writable. False when the container is deleted. */
export function settleIn(
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
