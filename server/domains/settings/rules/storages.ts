import type { Ctx } from '../../../ctx.ts'
import type { Settings } from '../catalogue.ts'
import { storageNames } from '../store.ts'
import type { Problem } from './problem.ts'

/** Names of storages, read here because storages stand above settings. */
function namesOf(ctx: Pick<Ctx, 'config' | 'db'>): ReadonlySet<string> {
  return new Set(['default', ...Object.keys(ctx.config.storages), ...storageNames(ctx.db)])
}

/** The weights of storages: whole numbers from 0 to 100, of storages that are there. */
export function storageWeights(ctx: Pick<Ctx, 'config' | 'db'>, changes: Partial<Settings>): Problem[] {
  const weights = changes.repository_storages_weighted
  if (!weights) return []
  const field = 'repository_storages_weighted'
  const known = namesOf(ctx)
  const unknown = Object.keys(weights).filter((name) => !known.has(name))
  const outside = Object.entries(weights).filter(([, weight]) => weight < 0 || weight > 100)
  return [
    ...(unknown.length > 0 ? [[field, `can't include: ${unknown.join(', ')}`] as const] : []),
    ...outside.map(([name]) => [field, `value for '${name}' must be between 0 and 100`] as const),
  ]
}
