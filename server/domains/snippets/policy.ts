import type { Actor } from '../../policy/actor.ts'
import { abilitiesOn } from '../../policy/ability.ts'
import { GUEST, REPORTER } from '../../policy/levels.ts'
import { project } from '../projects/index.ts'

const isUser = (actor: Actor): boolean => actor.kind === 'user'

/** What can be done with the snippets of a project; a single one asks `canSee` and `canChange` too. */
export const abilities = abilitiesOn(project, {
  read_snippets: { from: GUEST, feature: 'snippets', public: true },
  create_snippet: { from: REPORTER, feature: 'snippets', when: isUser },
  comment_snippet: { from: GUEST, feature: 'snippets', public: true, when: isUser },
  /** Who may try to change one; whether this one is decided by `canChange`. */
  change_snippet: { from: GUEST, feature: 'snippets', public: true, when: isUser },
})
