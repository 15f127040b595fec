import type { Insertable, Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { DeployTokensTable } from '../../../db/schema.gen.ts'

/** A deploy token as stored; the token itself is not. */
export type DeployTokenRow = Selectable<DeployTokensTable>

/** The owner of a token: it reads the code of a project, or of everything in a group. */
export type TokenOwner = { readonly project_id: number } | { readonly namespace_id: number }

/** Filters of lists. `now` decides which tokens have ended. */
export interface TokenFilter {
  /** All of the instance without it. */
  readonly owner?: TokenOwner
  readonly active?: boolean | undefined
  readonly now: string
}

function at(owner: TokenOwner) {
  return 'project_id' in owner
    ? ({ column: 'project_id', id: owner.project_id } as const)
    : ({ column: 'namespace_id', id: owner.namespace_id } as const)
}

/** One page of tokens, oldest first. */
export function list(
  db: Database,
  filter: TokenFilter,
  paging: { limit: number; offset: number },
): Rows<DeployTokenRow> {
  let query = q.selectFrom('deploy_tokens')
  if (filter.owner) query = query.where(at(filter.owner).column, '=', at(filter.owner).id)
  if (filter.active !== undefined) {
    query = query.where((eb) => {
      const lasting = eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', filter.now)])
      const active = eb.and([eb('revoked', '=', false), lasting])
      return filter.active ? active : eb.not(active)
    })
  }
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export function one(db: Database, owner: TokenOwner, id: number): DeployTokenRow | undefined {
  const { column, id: ownerId } = at(owner)
  return db.get(q.selectFrom('deploy_tokens').selectAll().where(column, '=', ownerId).where('id', '=', id))
}

export function byDigest(db: Database, digest: string): DeployTokenRow | undefined {
  return db.remember(`deploy-token:${digest}`, () =>
    db.get(q.selectFrom('deploy_tokens').selectAll().where('digest', '=', digest)),
  )
}

export function insert(db: Database, row: Insertable<DeployTokensTable>): DeployTokenRow {
  return db.get(q.insertInto('deploy_tokens').values(row).returningAll())!
}

/** Gives a new token the name that follows from its id. */
export function name(db: Database, id: number, username: string): DeployTokenRow {
  return db.get(q.updateTable('deploy_tokens').set({ username }).where('id', '=', id).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.run(q.deleteFrom('deploy_tokens').where('id', '=', id))
}

/** Notes when a token was used last; the values are the time and the id. */
export const LAST_USED_SQL = 'UPDATE deploy_tokens SET last_used_at = ? WHERE id = ?'
