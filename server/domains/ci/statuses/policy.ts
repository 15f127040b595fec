import { abilitiesOn } from '../../../policy/ability.ts'
import { DEVELOPER, REPORTER } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

/** Statuses of commits from other systems. */
export const abilities = abilitiesOn(project, {
  read_commit_status: { from: REPORTER, feature: 'repository', public: true },
  create_commit_status: { from: DEVELOPER, feature: 'repository' },
})
