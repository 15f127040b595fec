import type { Ctx } from '../../ctx.ts'
import { jsonList } from '../../db/database.ts'
import { canRead } from '../../policy/ability.ts'
import { findGroup, group } from '../groups/index.ts'
import { fullPath } from '../projects/index.ts'
import { keyOf, type FoundMap } from './found.ts'
import type { TextContext, Wanted } from './wanted.ts'

interface UserRow {
  readonly username: string
  readonly name: string
}

/** Users and groups that a text names, and everybody in the project for `@all`. */
export function findPeople(ctx: Ctx, wanted: readonly Wanted[], context: TextContext): FoundMap {
  const found: FoundMap = new Map()
  const named = wanted.filter((one) => one.kind === 'user')
  if (named.length === 0) return found
  const users = usersNamed(
    ctx,
    named.map((one) => one.name),
  )
  for (const one of named) {
    const key = keyOf(undefined, one)
    if (found.has(key)) continue
    const user = users.get(one.name.toLowerCase())
    if (user) {
      found.set(key, {
        page: user.username,
        title: user.name,
        short: `@${user.username}`,
        kind: 'project_member',
      })
    } else if (one.name.toLowerCase() === 'all' && context.project) {
      const page = fullPath(context.project)
      found.set(key, { page, title: 'All Project Members', short: `@${one.name}`, kind: 'project_member' })
    } else {
      const team = findGroup(ctx, one.name)
      if (!team || !canRead(ctx, group, team)) continue
      const page = `groups/${team.full_path}`
      found.set(key, { page, title: team.full_name, short: `@${team.full_path}`, kind: 'project_member' })
    }
  }
  return found
}

function usersNamed(ctx: Ctx, names: readonly string[]): Map<string, UserRow> {
  const rows = ctx.db.many<UserRow>(
    `SELECT u.username, u.name FROM json_each(?) w CROSS JOIN users u ON u.username = w.value COLLATE NOCASE
     WHERE u.state <> 'deleted'`,
    jsonList([...new Set(names.map((name) => name.toLowerCase()))]),
  )
  return new Map(rows.map((row) => [row.username.toLowerCase(), row]))
}
