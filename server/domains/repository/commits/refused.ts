import { fail } from '../../../lib/fail.ts'
import { isAboutPushing, plain } from '../checks/sentences.ts'

/** The contract's sentence for whoever may not write to a branch. */
export const NO_PUSH = 'You are not allowed to push into this branch'

/**
 * A refusal by the rules of pushes as the commits API answers it: one sentence of the contract for the protection of a
 * branch, and the rule's own for everything else (spec core 4.6).
 */
export function refusedPush(sentence: string): Error {
  const reason = isAboutPushing(sentence) ? NO_PUSH : plain(sentence)
  return fail('forbidden', `403 Forbidden - ${reason}`)
}

/** A refusal by the push rule of a project: what was to be written is not acceptable (spec administration 11.2). */
export function unacceptable(sentence: string): Error {
  return fail('bad_request', sentence)
}
