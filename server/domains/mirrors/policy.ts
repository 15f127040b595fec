import type { Ctx } from '../../ctx.ts'
import { fail } from '../../lib/fail.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import { MAINTAINER } from '../../policy/levels.ts'
import { project, type Project } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'

/** Mirrors carry the code away, or bring it (spec administration 5.1). */
export const abilities = abilitiesOn(project, {
  manage_remote_mirrors: { from: MAINTAINER, refusal: 'unauthorized' },
  read_pull_mirror: { from: MAINTAINER },
  manage_pull_mirror: { from: MAINTAINER },
})

/** Whether the caller may set up mirrors: all maintainers, or administrators alone. */
export function mayMirror(ctx: Ctx): boolean {
  return ctx.actor.is_admin || settingsOf(ctx).mirror_available
}

/** Throws 401 for who may not set up mirrors (spec administration 5.1). */
export function checkMayMirror(ctx: Ctx): void {
  if (!mayMirror(ctx)) throw fail('unauthorized')
}

/**
 * Whether mirrors of a project are updated at all. `granted`: an administrator set this one up while nobody else may.
 */
export function areMirrorsRunning(
  ctx: Pick<Ctx, 'db' | 'now'>,
  project: Project,
  { granted }: { readonly granted: boolean },
): boolean {
  const { silent_mode_enabled, mirror_available } = settingsOf(ctx)
  if (silent_mode_enabled || !(mirror_available || granted)) return false
  return project.repository_state === 'ready' && project.marked_for_deletion_at === null
}
