import type { Selectable } from 'kysely'

import { q, type Database } from '../../../../db/database.ts'
import { boundedCount } from '../../../../db/lists.ts'
import type { Rows } from '../../../../db/rows.ts'
import type { DeployTokensTable } from '../../../../db/schema.gen.ts'
import { table } from '../../../../db/table.ts'

/** A row of a deploy token, with a digest instead of the token. */
export type DeployTokenRow = Selectable<DeployTokensTable>

/** The owner of a token: a project, or a group for all projects in it. */
export type TokenOwner = { readonly project_id: number } | { readonly namespace_id: number }

/** Filters of lists. Tokens that expire up to `now` count as expired. */
export interface TokenFilter {
  /** Without an owner: all tokens of the instance. */
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
  return db.rememberRows(`deploy-token:${digest}`, () =>
    db.get(q.selectFrom('deploy_tokens').selectAll().where('digest', '=', digest)),
  )
}

export const { insert, remove } = table('deploy_tokens')

/** Sets the default user name of a new token, which contains its id. */
export function name(db: Database, id: number, username: string): DeployTokenRow {
  return db.get(q.updateTable('deploy_tokens').set({ username }).where('id', '=', id).returningAll())!
}

/** Records the last use of a token; the values are the time and the id. */
export const LAST_USED_SQL = 'UPDATE deploy_tokens SET last_used_at = ? WHERE id = ?'
