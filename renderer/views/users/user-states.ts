import { t } from '../../locales/t.ts'
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
  block: {
    label: t('users.block'),
    done: t('users.blocked'),
    means: t('users.cannot_sign_in_or_use_git_nothing_is'),
  },
  unblock: { label: t('users.unblock'), done: t('users.reactivated'), means: t('users.can_sign_in_again') },
  ban: {
    label: t('users.ban'),
    done: t('users.banned'),
    means: t('users.cannot_sign_in_for_abusive_accounts'),
  },
  unban: {
    label: t('users.unban'),
    done: t('users.reactivated'),
    means: t('users.can_sign_in_again'),
  },
  deactivate: {
    label: t('users.deactivate'),
    done: t('users.deactivated'),
    means: t('users.for_unused_accounts_signing_in'),
  },
  activate: {
    label: t('users.activate'),
    done: t('users.reactivated'),
    means: t('users.can_use_tokens_and_git_again'),
  },
  approve: {
    label: t('common.approve'),
    done: t('users.approved'),
    means: t('users.approves_a_new_account'),
  },
  reject: {
    label: t('users.reject'),
    done: t('users.rejected'),
    means: t('users.deletes_an_account_that_is_pending'),
  },
}

/** A state in words. */
export const stateWords = (state: string): string =>
  state === 'blocked_pending_approval' ? t('users.pending_approval') : state.replaceAll('_', ' ')
