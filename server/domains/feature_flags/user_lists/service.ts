import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { UserListChanged } from '../events.ts'
import { userIdsProblem } from '../strategies/validation.ts'
import * as store from './store.ts'
import type { UserListRow } from './store.ts'

const MAX_NAME = 255

/** The fields of a user list. `user_xids` are IDs of users in the application, separated by commas. */
export interface UserListFields {
  readonly name: string
  readonly user_xids: string
}

/** Returns the user list with an IID in a project. Throws `404 User List Not Found`. */
export function findUserList(ctx: Pick<Ctx, 'db'>, projectId: number, iid: number): UserListRow {
  const row = store.byIid(ctx.db, projectId, iid)
  if (!row) throw notFound('User List')
  return row
}

/** Creates a user list. Throws 400 with error messages. */
export function createUserList(ctx: Ctx, projectId: number, input: UserListFields): UserListRow {
  return tx(ctx.db, () => {
    checkFields(ctx, projectId, input)
    const times = { created_at: ctx.now, updated_at: ctx.now }
    const { name, user_xids } = input
    const row = store.insert(ctx.db, { project_id: projectId, name, user_xids, ...times })
    publishChange(ctx, row, 'created')
    return row
  })
}

/** Updates a user list. Throws 400 with error messages. */
export function updateUserList(ctx: Ctx, before: UserListRow, changes: Partial<UserListFields>): UserListRow {
  const { name = before.name, user_xids = before.user_xids } = changes
  if (name === before.name && user_xids === before.user_xids) return before
  return tx(ctx.db, () => {
    checkFields(ctx, before.project_id, { name, user_xids }, before.id)
    const row = store.update(ctx.db, before.id, { name, user_xids, updated_at: ctx.now })
    publishChange(ctx, row, 'updated')
    return row
  })
}

/** Deletes a user list. Throws 409 if a strategy uses it. */
export function removeUserList(ctx: Ctx, row: UserListRow): void {
  tx(ctx.db, () => {
    if (store.isUsed(ctx.db, row.id)) throw fail('conflict', ['User list is associated with a strategy'])
    store.remove(ctx.db, row.id)
    publishChange(ctx, row, 'deleted')
  })
}

function checkFields(ctx: Ctx, projectId: number, input: UserListFields, exceptId?: number): void {
  const other = store.byName(ctx.db, projectId, input.name)
  const problems = [
    ...listNameProblems(input.name),
    ...(other && other.id !== exceptId ? ['Name has already been taken'] : []),
    ...userIdsProblem(input.user_xids, 'User xids user_xids'),
  ]
  if (problems.length > 0) throw fail('bad_request', problems)
}

function publishChange(ctx: Ctx, row: UserListRow, action: 'created' | 'updated' | 'deleted'): void {
  const { project_id, id: user_list_id } = row
  publish(ctx, UserListChanged, { project_id, user_list_id, action, actor_id: ctx.actor.id })
}

/** Returns the problems of the name of a user list, as error messages. */
function listNameProblems(name: string): string[] {
  if (name.trim() === '') return ["Name can't be blank"]
  return name.length > MAX_NAME ? [`Name is too long (maximum is ${MAX_NAME} characters)`] : []
}
