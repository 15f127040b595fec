import { existsSync, renameSync } from 'node:fs'

import type { Ctx } from '../../../ctx.ts'
import { placeIn } from './storages.ts'

/**
 * Frees the place of a repository whose row is being made, in the transaction that makes it. What lies there already was
 * somebody else's (a database that was put back by hand, a copied folder), and whoever comes new must not see it. It stays beside
 * the place, where `deskforge doctor` finds it.
 */
export function freePlace(
  ctx: Pick<Ctx, 'config' | 'db' | 'log' | 'random'>,
  at: { readonly repository_storage: string; readonly disk_path: string },
): void {
  const place = placeIn(ctx, at)
  if (!existsSync(place)) return
  const aside = `${place}.found-${ctx.random.hex(4)}`
  renameSync(place, aside)
  ctx.log.error({ place, aside }, 'something lay where a new repository is to be; it was moved aside')
}
