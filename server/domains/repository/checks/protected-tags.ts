import { MAINTAINER } from '../../../policy/levels.ts'
import { pusherOf, type Pusher } from '../protected_refs/pusher.ts'
import { admits, protecting } from '../protected_refs/rules.ts'
import { tagProtectionsOf, type TagProtection } from '../protected_refs/tags/store.ts'
import { tagOf, type CheckInput, type RefChange } from './check.ts'

/** Protected tags: who may create them; nobody moves them, and maintainers delete them (spec core 4.4). */
export function respectTagProtection({ ctx, project, source, changes }: CheckInput): string | undefined {
  const protections = tagProtectionsOf(ctx.db, project.id)
  if (protections.length === 0 || ctx.actor.kind === 'system') return undefined
  const pusher = pusherOf(ctx, project)
  for (const change of changes) {
    const tag = tagOf(change.ref)
    const holding = tag === undefined ? [] : protecting(protections, tag)
    const problem = holding.length === 0 ? undefined : problemOf(change, { source, holding, pusher })
    if (problem) return problem
  }
  return undefined
}

function problemOf(
  change: RefChange,
  { source, holding, pusher }: { source: string; holding: readonly TagProtection[]; pusher: Pusher },
): string | undefined {
  if (change.new === null) {
    if (!pusher.actor.is_admin && pusher.role < MAINTAINER) {
      return 'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.'
    }
    return source === 'push' ? 'You can only delete protected tags using the web interface.' : undefined
  }
  if (change.old !== null) return 'Protected tags cannot be updated.'
  const mayCreate = holding.some((one) => one.levels.some((level) => admits(level, pusher)))
  return mayCreate ? undefined : 'You are not allowed to create this tag as it is protected.'
}
