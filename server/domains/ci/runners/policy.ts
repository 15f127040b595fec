import { abilitiesOn } from '../../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../../policy/levels.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'

/** Abilities on the runners of a project (spec ci 3.1). */
export const abilities = abilitiesOn(project, {
  manage_project_runners: { from: MAINTAINER, archived: true },
})

/** Runners of a group run jobs of all its subgroups and projects. */
export const groupAbilities = abilitiesOn(group, {
  read_group_runners: { from: MAINTAINER },
  manage_group_runners: { from: OWNER },
})
