import { abilitiesOn } from '../../../policy/ability.ts'
import type { Actor } from '../../../policy/actor.ts'
import { GUEST, MAINTAINER, REPORTER } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

const signedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

/** Notes under what belongs to a project. Who may read the code may say something about it. */
export const abilities = abilitiesOn(project, {
  read_commit_notes: { from: REPORTER, feature: 'repository', public: true },
  create_commit_note: { from: REPORTER, feature: 'repository', public: true, when: signedIn },
  /** To change and delete the notes of others, and to say when a note was written. */
  admin_note: { from: MAINTAINER, archived: true },
  /** Notes that only people of the project see. */
  read_internal_note: { from: REPORTER },
  read_note: { from: GUEST, public: true },
})
