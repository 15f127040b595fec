import type { Selectable } from 'kysely'

import { q, type Database } from '../../../../db/database.ts'
import { boundedCount } from '../../../../db/lists.ts'
import type { Rows } from '../../../../db/rows.ts'
import type { DeployTokensTable } from '../../../../db/schema.gen.ts'
import { table } from '../../../../db/table.ts'

/** The row of a deploy token, with a digest instead of the token. */
export type DeployTokenRow = Selectable<DeployTokensTable>

/** The owner of a token: a project, or a group. The token of a group applies to all projects in it. */
export type TokenOwner = { readonly project_id: number } | { readonly namespace_id: number }

/** The filters of a list. Tokens that expire up to `now` count as expired. */
export interface TokenFilter {
  /** The owner of the tokens; by default all tokens of the instance are listed. */
  readonly owner?: TokenOwner
  readonly active?: boolean | undefined
  readonly now: string
}

function ownerColumn(owner: TokenOwner) {
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
  if (filter.owner) query = query.where(ownerColumn(filter.owner).column, '=', ownerColumn(filter.owner).id)
  if (filter.active !== undefined) {
    query = query.where((eb) => {
      const unexpired = eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', filter.now)])
      const active = eb.and([eb('revoked', '=', false), unexpired])
      return filter.active ? active : eb.not(active)
    })
  }
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export function one(db: Database, owner: TokenOwner, id: number): DeployTokenRow | undefined {
  const { column, id: ownerId } = ownerColumn(owner)
  return db.get(q.selectFrom('deploy_tokens').selectAll().where(column, '=', ownerId).where('id', '=', id))
}

export function byDigest(db: Database, digest: string): DeployTokenRow | undefined {
  return db.rememberRows(`deploy-token:${digest}`, () =>
    db.get(q.selectFrom('deploy_tokens').selectAll().where('digest', '=', digest)),
  )
}

export const { insert, remove } = table('deploy_tokens')

/** Sets the default username of a new token, which contains its id. */
export function setUsername(db: Database, id: number, username: string): DeployTokenRow {
  return db.get(q.updateTable('deploy_tokens').set({ username }).where('id', '=', id).returningAll())!
}

/** Records the last use of a token. Its parameters are the time and the id. */
export const LAST_USED_SQL = 'UPDATE deploy_tokens SET last_used_at = ? WHERE id = ?'
