import { abilitiesOn } from '../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'

/** Push rules of projects. */
export const abilities = abilitiesOn(project, {
  manage_push_rule: { from: MAINTAINER, archived: true },
})

/** Push rules of groups; who may not is told that there are none (spec administration 11.1). */
export const groupAbilities = abilitiesOn(group, {
  manage_group_push_rule: { from: OWNER, refusal: 'not_found' },
})
