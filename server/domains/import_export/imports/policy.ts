import { abilitiesOn } from '../../../policy/ability.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

/** Who may see why an import fails, take it back and begin it anew. */
export const abilities = abilitiesOn(project, {
  manage_import: { from: MAINTAINER, archived: true },
})
