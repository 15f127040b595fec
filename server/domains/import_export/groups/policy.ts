import { abilitiesOn } from '../../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../../policy/levels.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'

/** An archive holds everything of a group, what only its owners see too. */
export const groupAbilities = abilitiesOn(group, {
  export_group: { from: OWNER },
})

/** The same of a project, relation by relation. */
export const projectAbilities = abilitiesOn(project, {
  export_project_relations: { from: MAINTAINER, archived: true },
})
