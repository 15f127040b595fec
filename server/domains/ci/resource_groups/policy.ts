import { abilitiesOn } from '../../../policy/ability.ts'
import { DEVELOPER } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

/** Users who may start jobs may see and order the jobs that wait for a resource (spec ci 2.11). */
export const abilities = abilitiesOn(project, {
  read_resource_groups: { from: DEVELOPER, feature: 'builds' },
  change_resource_group: { from: DEVELOPER, feature: 'builds' },
})
