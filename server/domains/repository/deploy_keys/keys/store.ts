import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import { jsonList, type Database } from '../../../../db/database.ts'
import { boundedCount, selectAll } from '../../../../db/lists.ts'
import type { Rows } from '../../../../db/rows.ts'
import { MAINTAINER } from '../../../../policy/levels.ts'
import { projectsOfMember } from '../../../members/index.ts'

/** A user who lists keys, and the current time. */
type Viewer = Pick<Ctx, 'actor' | 'now'>

/** A deploy key. */
export interface DeployKeyRow {
  readonly id: number
  readonly title: string
  readonly key: string
  readonly fingerprint: string | null
  readonly fingerprint_sha256: string
  readonly public: boolean
  readonly created_by_id: number | null
  readonly expires_at: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** A deploy key of a project, with its write access. */
export interface EnabledKey extends DeployKeyRow {
  readonly can_push: boolean
}

/** The columns of a project that a key can write to. */
export interface WritableProject {
  readonly id: number
  readonly description: string | null
  readonly name: string
  readonly path: string
  readonly created_at: string
  readonly namespace_full_name: string
  readonly namespace_full_path: string
}

interface Window {
  readonly limit: number
  readonly offset: number
}

const KEY = sql`k.id, k.title, k.key, k.fingerprint, k.fingerprint_sha256, k.public, k.created_by_id,
  k.expires_at, k.created_at, k.updated_at`
const ENABLED = sql`SELECT ${KEY}, d.can_push FROM deploy_keys_projects d JOIN ssh_keys k ON k.id = d.deploy_key_id`

function pageOf<Row>(
  db: Database,
  query: { columns: RawBuilder<unknown>; from: RawBuilder<unknown> },
  { limit, offset }: Window,
): Rows<Row> {
  const rows = selectAll(
    db,
    sql<Row>`SELECT ${query.columns} ${query.from} ORDER BY k.id LIMIT ${limit} OFFSET ${offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT k.id ${query.from}`) }
}

/** One page of all deploy keys, or of the public ones. */
export function listAll(
  db: Database,
  filter: { public?: boolean | undefined },
  window: Window,
): Rows<DeployKeyRow> {
  const only = filter.public === undefined ? sql`` : sql`AND k.public = ${filter.public ? 1 : 0}`
  return pageOf(db, { columns: KEY, from: sql`FROM ssh_keys k WHERE k.is_deploy_key = 1 ${only}` }, window)
}

/** One page of the keys of a project. */
export function listOf(db: Database, projectId: number, window: Window): Rows<EnabledKey> {
  const from = sql`FROM deploy_keys_projects d JOIN ssh_keys k ON k.id = d.deploy_key_id
    WHERE d.project_id = ${projectId}`
  return pageOf(db, { columns: sql`${KEY}, d.can_push`, from }, window)
}

/** A key of a project. */
export function oneOf(db: Database, projectId: number, keyId: number): EnabledKey | undefined {
  return selectAll(
    db,
    sql<EnabledKey>`${ENABLED} WHERE d.project_id = ${projectId} AND d.deploy_key_id = ${keyId}`,
  )[0]
}

/** The condition for keys in projects that a viewer maintains. */
function maintained(viewer: Viewer): RawBuilder<SqlBool> {
  return sql<SqlBool>`EXISTS (SELECT 1 FROM deploy_keys_projects d JOIN projects p ON p.id = d.project_id
    WHERE d.deploy_key_id = k.id AND ${projectsOfMember(viewer, MAINTAINER, 'check')})`
}

/** One page of the keys in projects that both a user and the viewer maintain. */
export function listCommon(
  db: Database,
  viewers: { user: Viewer; viewer: Viewer },
  window: Window,
): Rows<DeployKeyRow> {
  const { user, viewer } = viewers
  const visible = viewer.actor.is_admin ? sql`1` : maintained(viewer)
  const from = sql`FROM ssh_keys k WHERE k.is_deploy_key = 1 AND ${maintained(user)} AND ${visible}`
  return pageOf(db, { columns: KEY, from }, window)
}

/** A deploy key that the viewer can enable: a public one, or one of a project that they maintain. */
export function availableKey(db: Database, viewer: Viewer, keyId: number): DeployKeyRow | undefined {
  const allowed = viewer.actor.is_admin ? sql`1` : sql`(k.public = 1 OR ${maintained(viewer)})`
  return selectAll(
    db,
    sql<DeployKeyRow>`SELECT ${KEY} FROM ssh_keys k WHERE k.id = ${keyId} AND k.is_deploy_key = 1 AND ${allowed}`,
  )[0]
}

/** The projects that the keys can write to, by key. */
export function writableBy(db: Database, keyIds: readonly number[]): Map<number, WritableProject[]> {
  const rows = db.many<WritableProject & { deploy_key_id: number }>(
    `SELECT d.deploy_key_id, p.id, p.description, p.name, p.path, p.created_at,
       n.full_name AS namespace_full_name, n.full_path AS namespace_full_path
     FROM deploy_keys_projects d JOIN projects p ON p.id = d.project_id JOIN namespaces n ON n.id = p.namespace_id
     WHERE d.can_push = 1 AND d.deploy_key_id IN (SELECT value FROM json_each(?)) ORDER BY d.id`,
    jsonList(keyIds),
  )
  return Map.groupBy(rows, (row) => row.deploy_key_id)
}

/** The access of a key to a project; undefined if it has none. */
export function linkOf(db: Database, keyId: number, projectId: number): { can_push: boolean } | undefined {
  return db.one(
    'SELECT can_push FROM deploy_keys_projects WHERE project_id = ? AND deploy_key_id = ?',
    projectId,
    keyId,
  )
}

/** Gives a key access to a project. */
export function link(
  db: Database,
  row: { keyId: number; projectId: number; canPush: boolean; now: string },
): void {
  db.exec(
    'INSERT INTO deploy_keys_projects (deploy_key_id, project_id, can_push, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
    row.keyId,
    row.projectId,
    row.canPush,
    row.now,
    row.now,
  )
}

/** Changes the access of a key to a project. */
export function updateLink(
  db: Database,
  row: { keyId: number; projectId: number; canPush: boolean; now: string },
): void {
  db.exec(
    'UPDATE deploy_keys_projects SET can_push = ?, updated_at = ? WHERE project_id = ? AND deploy_key_id = ?',
    row.canPush,
    row.now,
    row.projectId,
    row.keyId,
  )
}

/** Removes the access of a key to a project. */
export function unlink(db: Database, keyId: number, projectId: number): void {
  db.exec('DELETE FROM deploy_keys_projects WHERE project_id = ? AND deploy_key_id = ?', projectId, keyId)
}

/** True if any project has the key. */
export function isLinked(db: Database, keyId: number): boolean {
  return db.one('SELECT 1 FROM deploy_keys_projects WHERE deploy_key_id = ? LIMIT 1', keyId) !== undefined
}

/** Moves the deploy keys of one project to another one. */
export function moveKeys(db: Database, fromProject: number, toProject: number): void {
  const sql = 'UPDATE OR IGNORE deploy_keys_projects SET project_id = ? WHERE project_id = ?'
  db.exec(sql, toProject, fromProject)
}
