import { abilitiesOn } from '../../policy/ability.ts'
import { GUEST, MAINTAINER, REPORTER } from '../../policy/levels.ts'
import { project, type Project } from '../projects/index.ts'

/** Reading and pushing code belong to the project; this is what goes beyond. */
export const abilities = abilitiesOn(project, {
  /** What pipelines say about commits; the same rule as for pipelines themselves. */
  read_commit_pipelines: {
    from: GUEST,
    feature: 'builds',
    public: true,
    openWhen: (owner: Project) => owner.public_jobs,
  },
  read_protected_branches: { from: REPORTER, feature: 'repository' },
  manage_protected_branches: { from: MAINTAINER, feature: 'repository' },
})
