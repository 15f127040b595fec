import { sql, type RawBuilder, type SqlBool, type Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import type { NamespacesTable } from '../../db/schema.gen.ts'
import { table } from '../../db/table.ts'

/** The old path of a namespace or a project. */
interface OldPath {
  readonly full_path: string
  readonly project_id?: number
  readonly namespace_id?: number
}

/** Stores a redirect from an old path. It replaces an earlier redirect from the same path. */
export function storeRedirect(db: Database, oldPath: OldPath, now: string): void {
  const { full_path, project_id = null, namespace_id = null } = oldPath
  db.exec('DELETE FROM redirects WHERE full_path = ?', full_path)
  db.run(q.insertInto('redirects').values({ full_path, project_id, namespace_id, created_at: now }))
}

/** Deletes the redirect from a path, because the path is in use again. */
export function endRedirect(db: Database, fullPath: string): void {
  db.exec('DELETE FROM redirects WHERE full_path = ?', fullPath)
}

const TREE = `WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)`

/** Stores redirects from the current paths of a namespace and of everything below it, before these paths change. */
export function storeRedirectsBelow(db: Database, namespaceId: number, now: string): void {
  db.exec(
    `${TREE} INSERT OR REPLACE INTO redirects (full_path, namespace_id, created_at)
     SELECT n.full_path, n.id, ? FROM namespaces n WHERE n.id IN (SELECT id FROM tree)`,
    namespaceId,
    now,
  )
  db.exec(
    `${TREE} INSERT OR REPLACE INTO redirects (full_path, project_id, created_at)
     SELECT n.full_path || '/' || p.path, p.id, ? FROM projects p JOIN namespaces n ON n.id = p.namespace_id
     WHERE n.id IN (SELECT id FROM tree)`,
    namespaceId,
    now,
  )
}

/** Deletes the redirects from the current paths of a namespace and of everything below it. */
export function endRedirectsBelow(db: Database, namespaceId: number): void {
  db.exec(
    `${TREE} DELETE FROM redirects WHERE full_path IN (
       SELECT n.full_path FROM namespaces n WHERE n.id IN (SELECT id FROM tree)
       UNION ALL SELECT n.full_path || '/' || p.path FROM projects p JOIN namespaces n ON n.id = p.namespace_id
       WHERE n.id IN (SELECT id FROM tree))`,
    namespaceId,
  )
}

/** Returns the id of the project to which an old path redirects. */
export function redirectedProject(db: Database, fullPath: string): number | undefined {
  return redirectFrom(db, fullPath)?.project_id ?? undefined
}

/** Returns the id of the group or personal namespace to which an old path redirects. */
export function redirectedNamespace(db: Database, fullPath: string): number | undefined {
  return redirectFrom(db, fullPath)?.namespace_id ?? undefined
}

function redirectFrom(db: Database, fullPath: string) {
  return db.one<{ project_id: number | null; namespace_id: number | null }>(
    'SELECT project_id, namespace_id FROM redirects WHERE full_path = ?',
    fullPath,
  )
}

/** A stored namespace: a personal one or a group. */
export type NamespaceRow = Selectable<NamespacesTable>

/** The columns of a nested namespace. */
export type NamespaceBasicRow = Pick<
  NamespaceRow,
  'id' | 'name' | 'path' | 'kind' | 'full_path' | 'parent_id' | 'avatar'
>

/** A namespace with the counts for its owners. */
export interface NamespaceView extends NamespaceRow {
  /** The number of members of the namespace and everything below it; undefined for viewers who may not see it. */
  members_count: number | undefined
  /** The number of billable users: members, and members of invited groups. */
  seats: number
}

/** The columns of a new namespace. Others have defaults; `lineage` and the full names are derived from the parent. */
export type NewNamespace = Pick<NamespaceRow, 'kind' | 'name' | 'path' | 'created_at' | 'updated_at'> &
  Partial<Omit<NamespaceRow, 'id' | 'lineage' | 'full_path' | 'full_name'>>

type Parent = Pick<NamespaceRow, 'id' | 'lineage' | 'full_path' | 'full_name'>

export const { byId, remove } = table('namespaces')

/** Returns the namespace with a full path, case-insensitively. */
export function byPath(db: Database, fullPath: string): NamespaceRow | undefined {
  return db.one<NamespaceRow>('SELECT * FROM namespaces WHERE full_path = ?', fullPath)
}

export function byOwner(db: Database, userId: number): NamespaceRow | undefined {
  return db.one<NamespaceRow>('SELECT * FROM namespaces WHERE owner_id = ?', userId)
}

/** Inserts a namespace below `parent` or at the top level. Throws `UniqueViolation` if the full path is in use. */
export function insert(db: Database, row: NewNamespace, parent?: Parent): NamespaceRow {
  const full_path = parent ? `${parent.full_path}/${row.path}` : row.path
  const full_name = parent ? `${parent.full_name} / ${row.name}` : row.name
  const parent_id = parent?.id ?? null
  const created = db.get(
    q
      .insertInto('namespaces')
      .values({ ...row, parent_id, full_path, full_name, lineage: '[]' })
      .returningAll(),
  )!
  const lineage = JSON.stringify([...(parent ? (JSON.parse(parent.lineage) as number[]) : []), created.id])
  db.exec('UPDATE namespaces SET lineage = ? WHERE id = ?', lineage, created.id)
  return { ...created, lineage }
}

export function update(db: Database, id: number, changes: Partial<Omit<NamespaceRow, 'id'>>): NamespaceRow {
  return db.get(q.updateTable('namespaces').set(changes).where('id', '=', id).returningAll())!
}

/** The new name, path and parent of a namespace. */
export interface NamespacePath {
  readonly name: string
  readonly path: string
  readonly parent: Parent | undefined
  readonly updated_at: string
}

/** Changes the name, path or parent of a namespace, and the full names and lineages of everything below it. */
export function move(db: Database, row: NamespaceRow, to: NamespacePath): NamespaceRow {
  const { parent, name, path, updated_at } = to
  const full_path = parent ? `${parent.full_path}/${path}` : path
  const full_name = parent ? `${parent.full_name} / ${name}` : name
  const lineage = JSON.stringify([...(parent ? (JSON.parse(parent.lineage) as number[]) : []), row.id])
  const parent_id = parent?.id ?? null
  const movedNamespace = update(db, row.id, {
    name,
    path,
    updated_at,
    parent_id,
    full_path,
    full_name,
    lineage,
  })
  // The lineages of descendants start with the lineage of this namespace, without its closing bracket.
  db.exec(
    `WITH RECURSIVE below (id) AS (
       SELECT id FROM namespaces WHERE parent_id = ? UNION ALL SELECT n.id FROM namespaces n JOIN below ON n.parent_id = below.id)
     UPDATE namespaces SET full_path = ? || substr(full_path, length(?) + 1), full_name = ? || substr(full_name, length(?) + 1),
       lineage = ? || substr(lineage, length(?)) WHERE id IN (SELECT id FROM below)`,
    row.id,
    full_path,
    row.full_path,
    full_name,
    row.full_name,
    lineage.slice(0, -1),
    row.lineage,
  )
  return movedNamespace
}

/** Changes the name or path of a namespace below the same parent. */
export function rename(
  db: Database,
  row: NamespaceRow,
  to: { name: string; path: string; updated_at: string },
): NamespaceRow {
  return move(db, row, { ...to, parent: row.parent_id === null ? undefined : byId(db, row.parent_id) })
}

/** Returns the number of levels below a namespace. */
export function levelsBelow(db: Database, id: number): number {
  return db.one<{ height: number }>(
    `WITH RECURSIVE tree (id, level) AS (
       SELECT ?, 0 UNION ALL SELECT n.id, tree.level + 1 FROM namespaces n JOIN tree ON n.parent_id = tree.id)
     SELECT max(level) AS height FROM tree`,
    id,
  )!.height
}

/** Updates columns of several namespaces. */
export function updateMany(
  db: Database,
  ids: readonly number[],
  changes: Partial<Omit<NamespaceRow, 'id'>>,
): void {
  db.run(
    q
      .updateTable('namespaces')
      .set(changes)
      .where(sql<SqlBool>`id IN (SELECT value FROM json_each(${jsonList(ids)}))`),
  )
}

/** Returns the ids of a namespace and of all namespaces below it. */
export function treeIds(db: Database, id: number): number[] {
  const rows = db.many<{ id: number }>(
    `WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)
     SELECT id FROM tree`,
    id,
  )
  return rows.map((row) => row.id)
}

function matches(search: string): RawBuilder<SqlBool> {
  const like = likePattern(search)
  return sql<SqlBool>`(n.name LIKE ${like} ESCAPE '\\' OR n.full_path LIKE ${like} ESCAPE '\\')`
}

/** Returns one page of namespaces: the personal one first, then by full path. */
export function list(
  db: Database,
  filter: {
    visible: RawBuilder<SqlBool> | undefined
    search?: string | undefined
    top_level_only?: boolean | undefined
    userId: number | null
  },
  window: { limit: number; offset: number },
) {
  const conditions = [filter.visible ?? sql<SqlBool>`1`]
  if (filter.search) conditions.push(matches(filter.search))
  if (filter.top_level_only) conditions.push(sql<SqlBool>`n.parent_id IS NULL`)
  const from = sql`FROM namespaces n WHERE ${sql.join(conditions, sql` AND `)}`
  const query = sql<NamespaceRow>`SELECT n.* ${from}
    ORDER BY (n.owner_id IS NOT NULL AND n.owner_id = ${filter.userId}) DESC, n.full_path LIMIT ${window.limit} OFFSET ${window.offset}`
  return { rows: selectAll(db, query), total: boundedCount(db, sql`SELECT 1 ${from}`) }
}

/** Returns the ids of those namespaces (alias `n`) that match a condition. */
export function idsMatching(db: Database, ids: readonly number[], condition: RawBuilder<SqlBool>): number[] {
  const rows = selectAll(
    db,
    sql<{ id: number }>`SELECT n.id FROM namespaces n
      WHERE n.id IN (SELECT value FROM json_each(${jsonList(ids)})) AND ${condition}`,
  )
  return rows.map((row) => row.id)
}

/** Returns the numbers of members of namespaces and everything below them. Each user counts once. */
export function memberCounts(db: Database, ids: readonly number[]): Map<number, number> {
  const rows = db.many<{ id: number; count: number }>(
    `WITH RECURSIVE tree (root, id) AS (
       SELECT value, value FROM json_each(?) UNION ALL SELECT tree.root, n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)
     SELECT root AS id, count(DISTINCT user_id) AS count FROM (
       SELECT tree.root, m.user_id FROM tree JOIN members m ON m.namespace_id = tree.id
       UNION ALL
       SELECT tree.root, m.user_id FROM tree JOIN projects p ON p.namespace_id = tree.id JOIN members m ON m.project_id = p.id)
     GROUP BY root`,
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row.count]))
}

/** Returns an unused alternative to a path in use: `path1`, `path2` and so on. */
export function suggestPath(db: Database, fullPath: string): string {
  let number = 1
  while (byPath(db, `${fullPath}${number}`)) number++
  return `${fullPath.split('/').at(-1)}${number}`
}

/** Tables with registration tokens for runners. */
export type TokenTable = 'projects' | 'namespaces'

/** Returns a batch of registration tokens that earlier releases stored as plain text, ordered by id. */
export function unsealedTokens(
  db: Database,
  table: TokenTable,
  batch: { readonly after: number; readonly limit: number },
): { id: number; runners_token: string }[] {
  return db.many(
    `SELECT id, runners_token FROM ${table}
     WHERE id > ? AND runners_token_digest IS NULL AND runners_token <> '' ORDER BY id LIMIT ?`,
    batch.after,
    batch.limit,
  )
}

/** Stores an encrypted registration token and its digest. */
export function setToken(
  db: Database,
  table: TokenTable,
  id: number,
  token: { readonly runners_token: string; readonly runners_token_digest: string },
): void {
  db.exec(
    `UPDATE ${table} SET runners_token = ?, runners_token_digest = ? WHERE id = ?`,
    token.runners_token,
    token.runners_token_digest,
    id,
  )
}
