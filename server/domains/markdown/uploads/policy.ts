import { abilitiesOn } from '../../../policy/ability.ts'
import { GUEST } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

/** Whoever may write something in a project may attach a file to it. */
export const abilities = abilitiesOn(project, {
  upload_file: { from: GUEST, public: true, when: (actor) => actor.kind !== 'anonymous' },
})
