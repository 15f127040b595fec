import { groupEvents } from '../groups/index.ts'
import { projectEvents } from '../projects/index.ts'
import { abilities, groupAbilities } from './policy.ts'

/** Events about wikis name pages. */
const fields = ['wiki_page_id', 'pages']

export const wikiVisibility = [
  projectEvents(fields, abilities.read_wiki),
  groupEvents(fields, groupAbilities.read_group_wiki),
]
