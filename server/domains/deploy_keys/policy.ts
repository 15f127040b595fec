import { abilitiesOn } from '../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'

/** Keys and tokens of machines that read or write the code of a project. */
export const abilities = abilitiesOn(project, {
  read_deploy_keys: { from: MAINTAINER },
  manage_deploy_keys: { from: MAINTAINER, archived: true },
  read_deploy_tokens: { from: MAINTAINER },
  manage_deploy_tokens: { from: MAINTAINER, archived: true },
})

/** A token of a group reads everything below it. */
export const groupAbilities = abilitiesOn(group, {
  read_group_deploy_tokens: { from: MAINTAINER },
  manage_group_deploy_tokens: { from: OWNER },
})
