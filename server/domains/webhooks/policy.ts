import { abilitiesOn } from '../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'

/** Webhooks carry everything out that happens: who may see them may change them (spec administration 3.6). */
export const abilities = abilitiesOn(project, {
  manage_hooks: { from: MAINTAINER, archived: true },
})

/** A group's webhooks hear of every project below it. */
export const groupAbilities = abilitiesOn(group, {
  manage_group_hooks: { from: OWNER },
})
