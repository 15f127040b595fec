import { abilitiesOn } from '../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'

/** Webhooks send project data to other servers, so only maintainers manage them (spec administration 3.6). */
export const abilities = abilitiesOn(project, {
  manage_hooks: { from: MAINTAINER, archived: true },
})

/** Webhooks of a group get the events of every project in it. */
export const groupAbilities = abilitiesOn(group, {
  manage_group_hooks: { from: OWNER },
})
