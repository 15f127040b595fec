import { z } from 'zod'

import { tx } from '../../../db/database.ts'
import { hasAbility } from '../../../policy/ability.ts'
import type { WebExchange } from '../../../http/web-route.ts'
import {
  hasLocks,
  insertLock,
  lockById,
  lockOn,
  locksOf,
  removeLock,
  type LfsLock,
} from '../../storage/index.ts'
import { abilities, project as scope } from '../../projects/index.ts'
import { Refusal } from '../smart_http/access.ts'
import { answer } from './transfer.ts'
import type { LfsTarget } from './enter.ts'

const MAX_PAGE = 100
const refForm = z.object({ name: z.string().max(1024).nullish() }).nullish()

export const lockForm = z.object({ path: z.string().min(1).max(4096), ref: refForm })
export const verifyLocksForm = z.object({
  ref: refForm,
  cursor: z.string().max(20).nullish(),
  limit: z.number().nullish(),
})
export const unlockForm = z.object({ force: z.boolean().nullish(), ref: refForm })

/** The JSON of a lock. */
function lockView({ id, path, locked_at, name }: LfsLock): object {
  return { id: String(id), path, locked_at, owner: { name } }
}

/** Returns the user who locks files. Throws Refusal for wikis, which have no locks, and for callers without a user. */
function ownerOf({ ctx, type }: LfsTarget): number {
  if (type !== 0) throw new Refusal(404, 'Not found.')
  const { actor } = ctx
  if (actor.id === null) throw new Refusal(403, 'Only users can lock files.')
  return actor.id
}

/** Locks a path for the caller. Answers 409 with the existing lock if the path is already locked. */
export async function createLock(
  exchange: WebExchange,
  target: LfsTarget,
  { path, ref }: z.output<typeof lockForm>,
): Promise<void> {
  const { ctx, project } = target
  const user_id = ownerOf(target)
  const cleanPath = path.replace(/^\.?\/+/, '')
  if (
    cleanPath === '' ||
    cleanPath.includes('\0') ||
    cleanPath.split('/').some((part) => part === '' || part === '..')
  )
    throw new Refusal(422, 'The path is invalid.')
  const row = { project_id: project.id, user_id, path: cleanPath, ref: ref?.name ?? null, locked_at: ctx.now }
  const created = tx(ctx.db, () => insertLock(ctx.db, row))
  await ctx.db.stored()
  if (created) return answer(exchange, 201, { lock: lockView(created) })
  answer(exchange, 409, { lock: lockView(lockOn(ctx.db, project.id, cleanPath)!), message: 'already locked' })
}

/** Lists the locks that match the client's filter. */
export function listLocks(exchange: WebExchange, target: LfsTarget): void {
  if (target.type !== 0) throw new Refusal(404, 'Not found.')
  const query = new URLSearchParams(exchange.query)
  const id = query.get('id')
  const path = query.get('path')
  const { rows, next } = page(target, {
    cursor: query.get('cursor'),
    limit: query.get('limit'),
    ...(id === null ? {} : { id: Number.isSafeInteger(Number(id)) ? Number(id) : 0 }),
    ...(path === null ? {} : { path }),
  })
  answer(exchange, 200, { locks: rows.map(lockView), ...next })
}

/** Lists the caller's locks and those of other users. Clients request this before a push. */
export function verifyLocks(
  exchange: WebExchange,
  target: LfsTarget,
  { cursor, limit }: z.output<typeof verifyLocksForm>,
): void {
  const { ctx, project, type } = target
  if (type !== 0 || !hasLocks(ctx.db, project.id)) return answer(exchange, 200, { ours: [], theirs: [] })
  const { rows, next } = page(target, { cursor: cursor ?? null, limit: limit ?? null })
  const isOwn = (lock: LfsLock): boolean => lock.user_id === ctx.actor.id
  answer(exchange, 200, {
    ours: rows.filter(isOwn).map(lockView),
    theirs: rows.filter((lock) => !isOwn(lock)).map(lockView),
    ...next,
  })
}

/** The paging and the filter of a list of locks. */
interface LockQuery {
  readonly cursor: string | null
  readonly limit: string | number | null
  readonly id?: number
  readonly path?: string
}

function page({ ctx, project }: LfsTarget, { cursor, limit, ...filter }: LockQuery) {
  const size = Math.min(Math.max(Math.trunc(Number(limit ?? MAX_PAGE)) || MAX_PAGE, 1), MAX_PAGE)
  const after = /^\d{1,15}$/.test(cursor ?? '') ? Number(cursor) : 0
  const locks = locksOf(ctx.db, project.id, { ...filter, after, limit: size + 1 })
  const rows = locks.slice(0, size)
  return { rows, next: locks.length > size ? { next_cursor: String(rows.at(-1)!.id) } : {} }
}

/** Removes the caller's own lock, or with `force` any lock if the caller is a maintainer. */
export async function unlock(
  exchange: WebExchange,
  target: LfsTarget,
  id: string,
  { force }: z.output<typeof unlockForm>,
): Promise<void> {
  const { ctx, project } = target
  const user_id = ownerOf(target)
  const lock = /^\d{1,15}$/.test(id) ? lockById(ctx.db, project.id, Number(id)) : undefined
  if (!lock) throw new Refusal(404, 'Lock not found.')
  if (lock.user_id !== user_id) {
    if (!force) throw new Refusal(403, `${lock.path} is locked by ${lock.name}`)
    if (!hasAbility(ctx, scope, abilities.maintain_repository, project))
      throw new Refusal(403, 'You must have maintainer access to force delete a lock')
  }
  tx(ctx.db, () => removeLock(ctx.db, lock.id))
  await ctx.db.stored()
  answer(exchange, 200, { lock: lockView(lock) })
}
