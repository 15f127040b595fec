import { sql, type SqlBool } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import { jsonList } from '../../../../db/database.ts'
import { userByUsername } from '../../../users/index.ts'
import type { IssuableTables } from '../issuable.ts'
import type { NumberOrWord } from './params.ts'
import { checkOnly, never, type Part } from './part.ts'

/** Written by a user. */
export function byAuthor({ table }: IssuableTables, id: number): Part {
  return {
    check: sql<SqlBool>`+i.author_id = ${id}`,
    find: sql<SqlBool>`i.author_id = ${id}`,
    probe: sql`SELECT 1 FROM ${sql.ref(table)} i WHERE i.author_id = ${id}`,
    leadsToState: true,
  }
}

/** Written by the user of that name, whatever its case. */
export function byAuthorNamed(ctx: Ctx, tables: IssuableTables, name: string): Part {
  const user = userByUsername(ctx.db, name)
  return user ? byAuthor(tables, user.id) : never
}

/** Assigned to a user, to nobody (`None`) or to somebody (`Any`). */
export function assignedTo(tables: IssuableTables, who: NumberOrWord): Part {
  const [join, key] = [sql.ref(tables.assignees), sql.ref(`a.${tables.key}`)]
  if (typeof who === 'string') {
    const some = sql`EXISTS (SELECT 1 FROM ${join} a WHERE ${key} = i.id)`
    return checkOnly(who === 'Any' ? sql<SqlBool>`${some}` : sql<SqlBool>`NOT ${some}`)
  }
  return linked(tables.assignees, tables.key, sql`a.user_id = ${who}`)
}

/** Assigned to every one of the users of these names; an unknown name finds nothing. */
export function assignedToNamed(ctx: Ctx, tables: IssuableTables, names: readonly string[]): Part[] {
  return names.map((name) => {
    const user = userByUsername(ctx.db, name)
    return user ? assignedTo(tables, user.id) : never
  })
}

/** With a row in another table (alias `a`) that names it and fits. */
export function linked(table: string, key: string, fits: ReturnType<typeof sql>): Part {
  const [from, owner] = [sql.ref(table), sql.ref(`a.${key}`)]
  return {
    check: sql<SqlBool>`EXISTS (SELECT 1 FROM ${from} a WHERE ${owner} = i.id AND ${fits})`,
    find: sql<SqlBool>`i.id IN (SELECT ${owner} FROM ${from} a WHERE ${fits})`,
    probe: sql`SELECT 1 FROM ${from} a WHERE ${fits}`,
    ids: sql`SELECT ${owner} AS id FROM ${from} a WHERE ${fits}`,
    byId: true,
  }
}

/** With an emoji that the caller gave: a name, any (`Any`) or none (`None`). */
export function withMyReaction(ctx: Ctx, tables: IssuableTables, emoji: string): Part {
  const type = tables.table === 'issues' ? 'Issue' : 'MergeRequest'
  const word = emoji.toLowerCase()
  const isWord = word === 'any' || word === 'none'
  const name = isWord ? sql`1` : sql`a.name = ${emoji}`
  const mine = sql`a.user_id = ${ctx.actor.id} AND a.awardable_type = ${type} AND ${name}`
  if (word === 'none')
    return checkOnly(
      sql<SqlBool>`NOT EXISTS (SELECT 1 FROM award_emoji a WHERE a.awardable_id = i.id AND ${mine})`,
    )
  return linked('award_emoji', 'awardable_id', mine)
}

/** Among these numbers of its project. */
export function numbered(iids: readonly number[]): Part {
  const check = sql<SqlBool>`i.iid IN (SELECT value FROM json_each(${jsonList(iids)}))`
  return { check }
}
