import { abilitiesOn } from '../../../policy/ability.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

/** Who has to do with the triggers of a project (spec ci 2.8); their owners alone see the tokens. */
export const abilities = abilitiesOn(project, {
  manage_triggers: { from: MAINTAINER, feature: 'builds' },
})
