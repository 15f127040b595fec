import { abilitiesOn } from '../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'

export const projectAbilities = abilitiesOn(project, {
  /** See why an import failed, cancel it and retry it. */
  manage_import: { from: MAINTAINER, archived: true },
  /** An archive has content that only maintainers see. */
  export_project: { from: MAINTAINER, archived: true },
  export_project_relations: { from: MAINTAINER, archived: true },
})

export const groupAbilities = abilitiesOn(group, {
  /** An archive has everything of a group, including what only its owners see. */
  export_group: { from: OWNER },
})
