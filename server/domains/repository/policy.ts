import { abilitiesOn } from '../../policy/ability.ts'
import { MAINTAINER, REPORTER } from '../../policy/levels.ts'
import { project } from '../projects/index.ts'

/** Reading and pushing code belong to the project; this is what goes beyond. */
export const abilities = abilitiesOn(project, {
  read_protected_branches: { from: REPORTER, feature: 'repository' },
  manage_protected_branches: { from: MAINTAINER, feature: 'repository' },
})
