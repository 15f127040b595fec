import { abilitiesOn } from '../../policy/ability.ts'
import { MAINTAINER } from '../../policy/levels.ts'
import { project } from '../projects/index.ts'

/** Integrations send project data to other servers and contain secrets (spec administration 3.1). */
export const abilities = abilitiesOn(project, {
  manage_integrations: { from: MAINTAINER, archived: true, signedIn: true },
})
