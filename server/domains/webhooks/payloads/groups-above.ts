import type { Ctx } from '../../../ctx.ts'
import { namespaceByPath } from '../../namespaces/index.ts'

/** The nearest group that is still there above a path of one that went; its webhooks hear of it. */
export function groupAbove(ctx: Pick<Ctx, 'db'>, path: string): { readonly id: number } | undefined {
  const end = path.lastIndexOf('/')
  if (end < 0) return undefined
  const above = path.slice(0, end)
  const found = namespaceByPath(ctx.db, above)
  return found?.kind === 'group' ? found : groupAbove(ctx, above)
}
