import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import { GUEST } from '../../policy/levels.ts'
import { project } from '../projects/index.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

/** Whoever sees a project may keep a list of what is in it; whether they may read the thing itself is asked then. */
export const abilities = abilitiesOn(project, {
  keep_todo: { from: GUEST, public: true, archived: true, when: isUser },
})
