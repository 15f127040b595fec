import { abilitiesOn } from '../../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../../policy/levels.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'

/** Variables hold secrets: who may see them may change them (spec ci 2.9), and nobody while the project builds nothing. */
export const abilities = abilitiesOn(project, {
  manage_variables: { from: MAINTAINER, feature: 'builds', archived: true },
})

/** What a group sets reaches the pipelines of everything below it. */
export const groupAbilities = abilitiesOn(group, {
  manage_group_variables: { from: OWNER },
})
