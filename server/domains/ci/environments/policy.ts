import type { Actor } from '../../../policy/actor.ts'
import { abilitiesOn } from '../../../policy/ability.ts'
import { DEVELOPER, MAINTAINER, REPORTER } from '../../../policy/levels.ts'
import { project, type Project } from '../../projects/index.ts'

/** Environments need CI to be enabled, and are hidden from users who cannot read its jobs. */
const when = (actor: Actor, owner: Project): boolean =>
  actor.kind !== 'anonymous' && owner.builds_access_level !== 'disabled'

/** Environments and deployments of a project (spec ci 5). */
export const abilities = abilitiesOn(project, {
  read_environment: { from: REPORTER, feature: 'environments', when },
  create_environment: { from: DEVELOPER, feature: 'environments', when },
  update_environment: { from: DEVELOPER, feature: 'environments', when },
  stop_environment: { from: DEVELOPER, feature: 'environments', when },
  destroy_environment: { from: DEVELOPER, feature: 'environments', when },
  read_deployment: { from: REPORTER, feature: 'environments', when },
  create_deployment: { from: DEVELOPER, feature: 'environments', when },
  update_deployment: { from: DEVELOPER, feature: 'environments', when },
  destroy_deployment: { from: MAINTAINER, feature: 'environments', when },
})
