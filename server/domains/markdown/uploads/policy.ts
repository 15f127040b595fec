import { abilitiesOn } from '../../../policy/ability.ts'
import { GUEST } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

/** Every user who may comment in a project may upload files. */
export const abilities = abilitiesOn(project, {
  upload_file: { from: GUEST, public: true, when: (actor) => actor.kind !== 'anonymous' },
})
