import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import { GUEST } from '../../policy/levels.ts'
import { project } from '../projects/index.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

/**
 * All users who see a project may add its issues and merge requests to their list. The service checks whether they may
 * read these.
 */
export const abilities = abilitiesOn(project, {
  keep_todo: { from: GUEST, public: true, archived: true, when: isUser },
})
