import { abilitiesOn } from '../../../../policy/ability.ts'
import { MAINTAINER } from '../../../../policy/levels.ts'
import { project } from '../../../projects/index.ts'

/** An archive holds what only maintainers see of a project, too. */
export const abilities = abilitiesOn(project, {
  export_project: { from: MAINTAINER, archived: true },
})
