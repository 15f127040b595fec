import { abilitiesOn } from '../../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../../policy/levels.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'

/** Deploy keys and tokens of a project. */
export const abilities = abilitiesOn(project, {
  read_deploy_keys: { from: MAINTAINER },
  manage_deploy_keys: { from: MAINTAINER, archived: true },
  read_deploy_tokens: { from: MAINTAINER },
  manage_deploy_tokens: { from: MAINTAINER, archived: true },
})

/** Deploy tokens of a group, which give access to all its subgroups and projects. */
export const groupAbilities = abilitiesOn(group, {
  read_group_deploy_tokens: { from: MAINTAINER },
  manage_group_deploy_tokens: { from: OWNER },
})
