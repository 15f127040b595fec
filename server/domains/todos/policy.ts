import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import { GUEST } from '../../policy/levels.ts'
import { project } from '../projects/index.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

/**
 * Every user who may see a project may add its issues and merge requests to their to-do list. The service checks whether
 * they may read them.
 */
export const abilities = abilitiesOn(project, {
  keep_todo: { from: GUEST, public: true, archived: true, when: isUser },
})
