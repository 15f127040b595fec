import { abilitiesOn } from '../../../policy/ability.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

/** Triggers of a project (spec ci 2.8); only their owners see the whole tokens. */
export const abilities = abilitiesOn(project, {
  manage_triggers: { from: MAINTAINER, feature: 'builds' },
})
