import { abilitiesOn } from '../../../policy/ability.ts'
import { DEVELOPER, MAINTAINER } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

/** Files that jobs leave. What a job keeps from those who merely see it asks for more than seeing it. */
export const abilities = abilitiesOn(project, {
  read_private_artifacts: { from: DEVELOPER, feature: 'builds' },
  read_maintainer_artifacts: { from: MAINTAINER, feature: 'builds' },
  keep_artifacts: { from: DEVELOPER, feature: 'builds' },
  destroy_artifacts: { from: MAINTAINER, feature: 'builds' },
})
