import { abilitiesOn } from '../../../policy/ability.ts'
import { REPORTER } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

/** What may be tried with a merge request; whether it is done is decided by its branches. */
export const abilities = abilitiesOn(project, {
  /** To merge, to rebase, to call an automatic merge off: the rights on the branches are asked afterwards. */
  accept_merge_request: {
    from: REPORTER,
    feature: 'merge_requests',
    public: true,
    when: (actor) => actor.kind === 'user',
  },
})
