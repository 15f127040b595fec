import type { Ctx } from '../../../ctx.ts'
import { createAccount } from '../../auth/index.ts'
import { namespaceByPath } from '../../namespaces/index.ts'
import { userByUsername } from '../../users/index.ts'
import { ghostId } from './store.ts'

const NAME = 'ghost'
const BIO = 'This user holds what was written by users who have since been deleted. It cannot be removed.'

function freeName(ctx: Ctx): string {
  const isTaken = (name: string) =>
    userByUsername(ctx.db, name) !== undefined || namespaceByPath(ctx.db, name) !== undefined
  let number = 0
  let name = NAME
  while (isTaken(name)) name = `${NAME}${++number}`
  return name
}

/** The id of the ghost, who is made when first needed. Inside the caller's transaction. */
export function ghostOf(ctx: Ctx): number {
  const known = ghostId(ctx.db)
  if (known !== undefined) return known
  const username = freeName(ctx)
  const made = createAccount(ctx, {
    username,
    name: 'Ghost User',
    // No domain of this kind exists, so nobody else has the address.
    email: `${username}@ghost.invalid`,
    password_hash: null,
    can_create_group: false,
    projects_limit: 0,
    external: false,
    columns: { kind: 'ghost', bio: BIO, private_profile: false, created_by_id: null },
  })
  return made.id
}
