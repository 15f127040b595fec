import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, type Database } from '../../../db/database.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import { CREATED, STARTED, type BulkImportRow, type EntityRow, type FailureRow } from './state.ts'

interface Page {
  readonly limit: number
  readonly offset: number
  readonly sort: 'asc' | 'desc'
}

export function byId(db: Database, id: number): BulkImportRow | undefined {
  return db.one<BulkImportRow>('SELECT * FROM bulk_imports WHERE id = ?', id)
}

export function entityById(db: Database, id: number): EntityRow | undefined {
  return db.one<EntityRow>('SELECT * FROM bulk_import_entities WHERE id = ?', id)
}

/** One page of the runs of a user. */
export function list(db: Database, userId: number, status: number | undefined, page: Page) {
  const where = andStatus(sql<SqlBool>`b.user_id = ${userId}`, status, 'b')
  return pageOf<BulkImportRow>(db, sql`FROM bulk_imports b WHERE ${where}`, 'b', page)
}

/** One page of the entities of a run. */
export function entitiesOf(db: Database, importId: number, status: number | undefined, page: Page) {
  const where = andStatus(sql<SqlBool>`e.bulk_import_id = ${importId}`, status, 'e')
  return pageOf<EntityRow>(db, sql`FROM bulk_import_entities e WHERE ${where}`, 'e', page)
}

/** One page of the entities of all runs of a user. */
export function entitiesOfUser(db: Database, userId: number, status: number | undefined, page: Page) {
  const ofUser = sql<SqlBool>`e.bulk_import_id IN (SELECT id FROM bulk_imports WHERE user_id = ${userId})`
  return pageOf<EntityRow>(
    db,
    sql`FROM bulk_import_entities e WHERE ${andStatus(ofUser, status, 'e')}`,
    'e',
    page,
  )
}

/** Adds a condition on the status, if there is one. */
function andStatus(
  first: RawBuilder<SqlBool>,
  status: number | undefined,
  table: string,
): RawBuilder<SqlBool> {
  return status === undefined ? first : sql<SqlBool>`${first} AND ${sql.ref(`${table}.status`)} = ${status}`
}

function pageOf<Row>(db: Database, from: RawBuilder<unknown>, table: string, page: Page) {
  const id = sql.ref(`${table}.id`)
  const direction = sql.raw(page.sort === 'asc' ? 'ASC' : 'DESC')
  const rows = selectAll(
    db,
    sql<Row>`SELECT ${sql.ref(table)}.* ${from} ORDER BY ${id} ${direction} LIMIT ${page.limit} OFFSET ${page.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT 1 ${from}`) }
}

/** Number of failures that a list of entities shows for each. Another endpoint lists all of them. */
const MAX_SHOWN = 20

/** The first failures of entities, by ID of the entity. */
export function failuresOf(db: Database, entityIds: readonly number[]): Map<number, FailureRow[]> {
  const rows = db.many<FailureRow>(
    `SELECT f.* FROM json_each(?) e JOIN bulk_import_failures f ON f.id IN
       (SELECT id FROM bulk_import_failures WHERE entity_id = e.value ORDER BY id LIMIT ${MAX_SHOWN}) ORDER BY f.id`,
    jsonList(entityIds),
  )
  return Map.groupBy(rows, ({ entity_id }) => entity_id) as Map<number, FailureRow[]>
}

export function failures(db: Database, entityId: number, { limit, offset }: Pick<Page, 'limit' | 'offset'>) {
  const from = sql`FROM bulk_import_failures f WHERE f.entity_id = ${entityId}`
  const rows = selectAll(
    db,
    sql<FailureRow>`SELECT f.* ${from} ORDER BY f.id LIMIT ${limit} OFFSET ${offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT 1 ${from}`) }
}

/** Stores a run without entities. */
export function insert(
  db: Database,
  row: Pick<BulkImportRow, 'user_id' | 'source_url' | 'access_token' | 'source_version'>,
  now: string,
): BulkImportRow {
  return db.one<BulkImportRow>(
    `INSERT INTO bulk_imports (user_id, source_url, access_token, source_version, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?) RETURNING *`,
    row.user_id,
    row.source_url,
    row.access_token,
    row.source_version,
    now,
    now,
  )!
}

/** A group or project to be migrated. */
export type NewEntity = Pick<
  EntityRow,
  | 'bulk_import_id'
  | 'parent_id'
  | 'source_type'
  | 'source_full_path'
  | 'source_xid'
  | 'destination_slug'
  | 'destination_name'
  | 'destination_namespace'
  | 'migrate_projects'
  | 'migrate_memberships'
>

/** Stores an entity, unless its parent already has it. */
export function insertEntity(db: Database, row: NewEntity, now: string): void {
  db.exec(
    `INSERT INTO bulk_import_entities (bulk_import_id, parent_id, source_type, source_full_path, source_xid,
       destination_slug, destination_name, destination_namespace, migrate_projects, migrate_memberships,
       created_at, updated_at)
     SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE ? IS NULL OR NOT EXISTS
       (SELECT 1 FROM bulk_import_entities WHERE parent_id = ? AND source_type = ? AND source_full_path = ?)`,
    row.bulk_import_id,
    row.parent_id,
    row.source_type,
    row.source_full_path,
    row.source_xid,
    row.destination_slug,
    row.destination_name,
    row.destination_namespace,
    row.migrate_projects,
    row.migrate_memberships,
    now,
    now,
    row.parent_id,
    row.parent_id,
    row.source_type,
    row.source_full_path,
  )
}

/** Updates an entity. `updated_at` is the time of its last progress. */
export function updateEntity(db: Database, id: number, changes: Partial<EntityRow>, now: string): EntityRow {
  const entries = Object.entries({ ...changes, updated_at: now })
  const set = entries.map(([name]) => `${name} = ?`).join(', ')
  const sql = `UPDATE bulk_import_entities SET ${set} WHERE id = ? RETURNING *`
  return db.one<EntityRow>(sql, ...entries.map(([, value]) => value), id)!
}

export function update(
  db: Database,
  id: number,
  changes: Partial<BulkImportRow>,
  now: string,
): BulkImportRow {
  const entries = Object.entries({ ...changes, updated_at: now })
  const set = entries.map(([name]) => `${name} = ?`).join(', ')
  const sql = `UPDATE bulk_imports SET ${set} WHERE id = ? RETURNING *`
  return db.one<BulkImportRow>(sql, ...entries.map(([, value]) => value), id)!
}

export function insertFailure(db: Database, row: Omit<FailureRow, 'id'>): void {
  db.exec(
    `INSERT INTO bulk_import_failures (entity_id, relation, step, exception_class, exception_message, correlation_id,
       source_url, source_title, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.entity_id,
    row.relation,
    row.step,
    row.exception_class,
    row.exception_message,
    row.correlation_id,
    row.source_url,
    row.source_title,
    row.created_at,
  )
}

/** The number of entities of a run by status. */
export function countByStatus(db: Database, importId: number): Map<number, number> {
  const rows = db.many<{ status: number; n: number }>(
    'SELECT status, count(*) AS n FROM bulk_import_entities WHERE bulk_import_id = ? GROUP BY status',
    importId,
  )
  return new Map(rows.map(({ status, n }) => [status, n]))
}

/** The waiting entities of a run, oldest first. */
export function waitingEntities(db: Database, importId: number, limit: number): EntityRow[] {
  return db.many<EntityRow>(
    'SELECT * FROM bulk_import_entities WHERE bulk_import_id = ? AND status = ? ORDER BY id LIMIT ?',
    importId,
    CREATED,
    limit,
  )
}

/** The entities of a run that have not ended. */
export function activeEntities(db: Database, importId: number): EntityRow[] {
  return db.many<EntityRow>(
    'SELECT * FROM bulk_import_entities WHERE bulk_import_id = ? AND status IN (?, ?) ORDER BY id',
    importId,
    CREATED,
    STARTED,
  )
}

/** Whether an entity of a run has failures. */
export function hasFailures(db: Database, importId: number): boolean {
  const sql = 'SELECT 1 FROM bulk_import_entities WHERE bulk_import_id = ? AND has_failures = 1 LIMIT 1'
  return db.one(sql, importId) !== undefined
}

/** Running entities without progress since a time. */
export function stalledEntities(db: Database, before: string): EntityRow[] {
  return db.many<EntityRow>(
    `SELECT e.* FROM bulk_imports b JOIN bulk_import_entities e ON e.bulk_import_id = b.id
     WHERE b.status IN (?, ?) AND e.status = ? AND e.updated_at < ? ORDER BY e.id LIMIT 1000`,
    CREATED,
    STARTED,
    STARTED,
    before,
  )
}
