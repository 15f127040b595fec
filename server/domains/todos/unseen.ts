import { sql } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { inNameOf } from '../planning/index.ts'
import { announce } from './add.ts'
import * as store from './store.ts'
import { visible } from './visible.ts'

/** Users who have items, in a project or anywhere. */
export function usersWithTodos(ctx: Ctx, projectId?: number): number[] {
  const rows =
    projectId === undefined
      ? ctx.db.many<{ user_id: number }>('SELECT DISTINCT user_id FROM todos')
      : ctx.db.many<{ user_id: number }>('SELECT DISTINCT user_id FROM todos WHERE project_id = ?', projectId)
  return rows.map((row) => row.user_id)
}

/** Removes items about what their users may not see any more (7.2), user by user, so that no write is long. */
export function removeUnseen(ctx: Ctx, userIds: readonly number[]): void {
  for (const id of userIds) {
    const theirs = inNameOf(ctx, id)
    if (!theirs) continue
    const lost = sql<boolean>`id IN (SELECT t.id FROM todos t WHERE t.user_id = ${id} AND NOT ${visible(theirs)})`
    tx(ctx.db, () => announce(ctx, store.removeWhere(ctx.db, lost)))
  }
}
