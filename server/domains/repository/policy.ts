import { abilitiesOn } from '../../policy/ability.ts'
import { GUEST, MAINTAINER, REPORTER } from '../../policy/levels.ts'
import { project, type Project } from '../projects/index.ts'

/** The project's policy covers reading and pushing code; these are the additional abilities. */
export const abilities = abilitiesOn(project, {
  /** Reading commit statuses; the same rule as for reading pipelines. */
  read_commit_pipelines: {
    from: GUEST,
    feature: 'builds',
    public: true,
    openWhen: (owner: Project) => owner.public_jobs,
  },
  read_protected_branches: { from: REPORTER, feature: 'repository' },
  manage_protected_branches: { from: MAINTAINER, feature: 'repository' },
})
