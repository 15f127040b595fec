import { abilitiesOn } from '../../../policy/ability.ts'
import { DEVELOPER, MAINTAINER } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

/** Artifacts of jobs. A job can restrict its artifacts to a higher role than its log. */
export const abilities = abilitiesOn(project, {
  read_private_artifacts: { from: DEVELOPER, feature: 'builds' },
  read_maintainer_artifacts: { from: MAINTAINER, feature: 'builds' },
  keep_artifacts: { from: DEVELOPER, feature: 'builds' },
  destroy_artifacts: { from: MAINTAINER, feature: 'builds' },
})
