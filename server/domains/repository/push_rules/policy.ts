import { abilitiesOn } from '../../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../../policy/levels.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'

/** Abilities for the push rules of projects. */
export const abilities = abilitiesOn(project, {
  manage_push_rule: { from: MAINTAINER, archived: true },
})

/** Abilities for the push rules of groups. Other users get 404 (spec administration 11.1). */
export const groupAbilities = abilitiesOn(group, {
  manage_group_push_rule: { from: OWNER, refusal: 'not_found' },
})
