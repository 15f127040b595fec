import { abilitiesOn } from '../../../policy/ability.ts'
import type { Actor } from '../../../policy/actor.ts'
import { DEVELOPER, GUEST, MAINTAINER } from '../../../policy/levels.ts'
import { project, type Project } from '../../projects/index.ts'

const arePublic = (owner: Project): boolean => owner.public_jobs
const signedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

/**
 * Users who see pipelines see their schedules. A schedule runs in the name of its owner, so that only the owner and
 * maintainers may change it (`mayChange` in `service.ts`).
 */
export const abilities = abilitiesOn(project, {
  read_schedules: { from: GUEST, feature: 'builds', public: true, openWhen: arePublic, when: signedIn },
  create_schedule: { from: DEVELOPER, feature: 'builds' },
  change_schedule: { from: DEVELOPER, feature: 'builds' },
  take_schedule: { from: MAINTAINER, feature: 'builds' },
})
