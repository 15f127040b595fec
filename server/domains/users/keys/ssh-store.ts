import type { Insertable, Selectable } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { SshKeysTable } from '../../../db/schema.gen.ts'

/** A stored SSH key: that of a user, or a deploy key. */
export type SshKeyRow = Selectable<SshKeysTable>

/** A key with the name of its user, or of the creator of the deploy key. */
export interface SshKeyView extends SshKeyRow {
  readonly owner_name: string | null
}

/** A project that enables a deploy key, and whether the key may push there. */
export interface DeployKeyProject {
  id: number
  deploy_key_id: number
  project_id: number
  can_push: boolean
  created_at: string
  updated_at: string
}

const views = q
  .selectFrom('ssh_keys')
  .leftJoin('users', (join) =>
    join.on((eb) => eb('users.id', '=', eb.fn.coalesce('ssh_keys.user_id', 'ssh_keys.created_by_id'))),
  )
  .selectAll('ssh_keys')
  .select('users.name as owner_name')

/** Returns one page of the keys of a user, the oldest first. */
export function listOf(
  db: Database,
  userId: number,
  paging: { limit: number; offset: number },
): Rows<SshKeyView> {
  const rows = db.all(
    views.where('user_id', '=', userId).orderBy('ssh_keys.id').limit(paging.limit).offset(paging.offset),
  )
  const countQuery = q.selectFrom('ssh_keys').select('id').where('user_id', '=', userId)
  return { rows, total: boundedCount(db, countQuery) }
}

/** Returns a key of a user by its id. */
export function keyOfUser(db: Database, userId: number, id: number): SshKeyView | undefined {
  return db.get(views.where('user_id', '=', userId).where('ssh_keys.id', '=', id))
}

/** Returns an SSH key or deploy key. */
export function byId(db: Database, id: number): SshKeyView | undefined {
  return db.get(views.where('ssh_keys.id', '=', id))
}

/** Returns an SSH key or deploy key by one of its fingerprints, in its stored format. */
export function byFingerprint(
  db: Database,
  kind: 'fingerprint' | 'fingerprint_sha256',
  fingerprint: string,
): SshKeyView | undefined {
  return db.get(views.where(`ssh_keys.${kind}`, '=', fingerprint).orderBy('ssh_keys.id').limit(1))
}

export function insert(db: Database, row: Insertable<SshKeysTable>): SshKeyRow {
  return db.get(q.insertInto('ssh_keys').values(row).returningAll())!
}

export function update(db: Database, id: number, changes: Partial<Omit<SshKeyRow, 'id'>>): void {
  db.run(q.updateTable('ssh_keys').set(changes).where('id', '=', id))
}

export function remove(db: Database, id: number): void {
  db.run(q.deleteFrom('ssh_keys').where('id', '=', id))
}

/** Returns the projects that enable a deploy key. */
export function projectsOf(db: Database, keyId: number): DeployKeyProject[] {
  return db.many<DeployKeyProject>(
    `SELECT id, deploy_key_id, project_id, can_push, created_at, updated_at
     FROM deploy_keys_projects WHERE deploy_key_id = ? ORDER BY id`,
    keyId,
  )
}

/** Deletes deploy keys that are not public and that no project enables. */
export function removeOrphans(db: Database): void {
  db.exec(
    `DELETE FROM ssh_keys WHERE is_deploy_key = 1 AND public = 0
       AND NOT EXISTS (SELECT 1 FROM deploy_keys_projects d WHERE d.deploy_key_id = ssh_keys.id)`,
  )
}

/** Records the use of a key, within the next minute. */
export function recordKeyUse(ctx: Ctx, id: number): void {
  const sql = 'UPDATE ssh_keys SET last_used_at = ? WHERE id = ?'
  ctx.bookkeeping.collect(`ssh-key-used:${id}`, sql, ctx.now, id)
}
