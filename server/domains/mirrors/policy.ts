import type { Ctx } from '../../ctx.ts'
import { fail } from '../../lib/fail.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import { MAINTAINER } from '../../policy/levels.ts'
import { project, type Project } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'

/** Abilities for mirrors (spec administration 5.1). */
export const abilities = abilitiesOn(project, {
  manage_remote_mirrors: { from: MAINTAINER, refusal: 'unauthorized' },
  read_pull_mirror: { from: MAINTAINER },
  manage_pull_mirror: { from: MAINTAINER },
})

/** Whether the actor may set up mirrors. An instance setting restricts this to administrators. */
export function mayMirror(ctx: Ctx): boolean {
  return ctx.actor.is_admin || settingsOf(ctx).mirror_available
}

/** Throws 401 unless the actor may set up mirrors (spec administration 5.1). */
export function checkMayMirror(ctx: Ctx): void {
  if (!mayMirror(ctx)) throw fail('unauthorized')
}

/**
 * Whether a mirror of a project is updated. `granted` is true for a mirror that an administrator enabled while only
 * administrators could. Such a mirror keeps running.
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
