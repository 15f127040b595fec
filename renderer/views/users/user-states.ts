/** The actions of administrators on an account, by its state. */
export type UserVerb =
  | 'block'
  | 'unblock'
  | 'ban'
  | 'unban'
  | 'deactivate'
  | 'activate'
  | 'approve'
  | 'reject'

const VERBS: Readonly<Record<string, readonly UserVerb[]>> = {
  active: ['block', 'ban', 'deactivate'],
  blocked: ['unblock'],
  ldap_blocked: [],
  banned: ['unban'],
  deactivated: ['activate', 'block'],
  blocked_pending_approval: ['approve', 'reject'],
}

/** The verbs for a state, the mildest first. */
export const verbsFor = (state: string): readonly UserVerb[] => VERBS[state] ?? []

/** The label of an action and its consequences. */
export const VERB_WORDS: Readonly<Record<UserVerb, { label: string; done: string; means: string }>> = {
  block: { label: 'Block', done: 'blocked', means: 'Cannot sign in or use git. Everything stays.' },
  unblock: { label: 'Unblock', done: 'active again', means: 'Can sign in again.' },
  ban: { label: 'Ban', done: 'banned', means: 'Cannot sign in; for accounts that did harm.' },
  unban: { label: 'Lift the ban', done: 'active again', means: 'Can sign in again.' },
  deactivate: {
    label: 'Deactivate',
    done: 'deactivated',
    means: 'For accounts that are not used. Signing in makes it active again.',
  },
  activate: { label: 'Activate', done: 'active again', means: 'Can use tokens and git again.' },
  approve: { label: 'Approve', done: 'approved', means: 'Lets a new account in.' },
  reject: { label: 'Reject', done: 'rejected', means: 'Removes an account that waits for approval.' },
}

/** A state in words. */
export const stateWords = (state: string): string =>
  state === 'blocked_pending_approval' ? 'waits for approval' : state.replaceAll('_', ' ')
