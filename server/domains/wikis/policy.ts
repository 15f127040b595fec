import { abilitiesOn } from '../../policy/ability.ts'
import { DEVELOPER, GUEST } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'

/** What can be done with the wiki of either owner (spec administration 10.1). */
const rules = {
  read_wiki: { from: GUEST, feature: 'wiki', public: true },
  create_wiki: { from: DEVELOPER, feature: 'wiki' },
  admin_wiki: { from: DEVELOPER, feature: 'wiki' },
} as const

export const wikiAbilities = {
  project: abilitiesOn(project, rules),
  group: abilitiesOn(group, rules),
}
