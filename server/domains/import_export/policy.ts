import { abilitiesOn } from '../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project } from '../projects/index.ts'

export const projectAbilities = abilitiesOn(project, {
  /** Allows users to see why an import failed, to cancel it and to retry it. */
  manage_import: { from: MAINTAINER, archived: true },
  /** An archive contains data that only maintainers may see. */
  export_project: { from: MAINTAINER, archived: true },
  export_project_relations: { from: MAINTAINER, archived: true },
})

export const groupAbilities = abilitiesOn(group, {
  /** An archive contains data of the group that only its owners may see. */
  export_group: { from: OWNER },
})
