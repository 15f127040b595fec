import { abilitiesOn } from '../../policy/ability.ts'
import { DEVELOPER, GUEST } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'

/** What can be done with the wiki of a project (spec administration 10.1). */
export const abilities = abilitiesOn(project, {
  read_wiki: { from: GUEST, feature: 'wiki', public: true },
  create_wiki: { from: DEVELOPER, feature: 'wiki' },
  admin_wiki: { from: DEVELOPER, feature: 'wiki' },
})

/** The same of a group. */
export const groupAbilities = abilitiesOn(group, {
  read_group_wiki: { from: GUEST, feature: 'wiki', public: true },
  create_group_wiki: { from: DEVELOPER, feature: 'wiki' },
  admin_group_wiki: { from: DEVELOPER, feature: 'wiki' },
})
