import type { Database } from '../../../db/database.ts'
import type { AvatarOwner } from './files.ts'

const TABLES = { user: 'users', group: 'namespaces', project: 'projects', topic: 'topics' } as const

/** The file name of an owner's avatar. Null if there is none, or if the owner was deleted. */
export function avatarOf(db: Database, { kind, id }: AvatarOwner): string | null {
  const sql = `SELECT avatar FROM ${TABLES[kind]} WHERE id = ?`
  return db.one<{ avatar: string | null }>(sql, id)?.avatar ?? null
}
