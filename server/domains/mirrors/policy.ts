import { abilitiesOn } from '../../policy/ability.ts'
import { MAINTAINER } from '../../policy/levels.ts'
import { project } from '../projects/index.ts'

/** Mirrors carry the code away, or bring it (spec administration 5.1). */
export const abilities = abilitiesOn(project, {
  manage_remote_mirrors: { from: MAINTAINER, refusal: 'unauthorized' },
  read_pull_mirror: { from: MAINTAINER },
  manage_pull_mirror: { from: MAINTAINER },
})
