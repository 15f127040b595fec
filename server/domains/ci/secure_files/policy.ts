import { abilitiesOn } from '../../../policy/ability.ts'
import { DEVELOPER, MAINTAINER } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

/** Secure files of a project (spec ci 6). */
export const abilities = abilitiesOn(project, {
  read_secure_files: { from: DEVELOPER },
  manage_secure_files: { from: MAINTAINER, archived: true },
})
