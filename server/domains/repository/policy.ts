import { abilitiesOn } from '../../policy/ability.ts'
import { GUEST, MAINTAINER, OWNER, REPORTER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project, type Project } from '../projects/index.ts'

/** The abilities on a project, in addition to reading and pushing code, which the policy of projects contains. */
export const abilities = abilitiesOn(project, {
  /** To read commit statuses, with the same requirements as for reading pipelines. */
  read_commit_pipelines: {
    from: GUEST,
    feature: 'builds',
    public: true,
    openWhen: (owner: Project) => owner.public_jobs,
  },
  read_protected_branches: { from: REPORTER, feature: 'repository' },
  manage_protected_branches: { from: MAINTAINER, feature: 'repository' },
  manage_push_rule: { from: MAINTAINER, archived: true },
  read_deploy_keys: { from: MAINTAINER },
  manage_deploy_keys: { from: MAINTAINER, archived: true },
  read_deploy_tokens: { from: MAINTAINER },
  manage_deploy_tokens: { from: MAINTAINER, archived: true },
})

/** Deploy tokens of a group give access to all its subgroups and projects. */
export const groupAbilities = abilitiesOn(group, {
  read_group_deploy_tokens: { from: MAINTAINER },
  manage_group_deploy_tokens: { from: OWNER },
  /** Other users get 404 (spec administration 11.1). */
  manage_group_push_rule: { from: OWNER, refusal: 'not_found', signedIn: true },
})
