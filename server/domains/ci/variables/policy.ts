import { abilitiesOn } from '../../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../../policy/levels.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'

/**
 * Variables are secrets: reading takes the same role as changing them (spec ci 2.9). None while CI is disabled in the project.
 */
export const abilities = abilitiesOn(project, {
  manage_variables: { from: MAINTAINER, feature: 'builds', archived: true },
})

/** Variables of a group apply to the pipelines of all its subgroups and projects. */
export const groupAbilities = abilitiesOn(group, {
  manage_group_variables: { from: OWNER },
})
