import { abilitiesOn } from '../../../policy/ability.ts'
import type { Actor } from '../../../policy/actor.ts'
import { GUEST, MAINTAINER, REPORTER } from '../../../policy/levels.ts'
import { project } from '../../projects/index.ts'

const isSignedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

/** Abilities for the notes of a project. All readers of the code may comment on commits. */
export const abilities = abilitiesOn(project, {
  read_commit_notes: { from: REPORTER, feature: 'repository', public: true },
  create_commit_note: { from: REPORTER, feature: 'repository', public: true, when: isSignedIn },
  /** To update and delete the notes of others, and to set the creation time of a note. */
  admin_note: { from: MAINTAINER, archived: true },
  /** To see notes that are visible only to project members. */
  read_internal_note: { from: REPORTER },
  read_note: { from: GUEST, public: true },
})
