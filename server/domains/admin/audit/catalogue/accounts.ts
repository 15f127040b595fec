import type { Subscription } from '../../../../events/publish.ts'
import {
  SignedIn,
  SignInFailed,
  SignInRefused,
  TokenCreated,
  TokenRevoked,
  TokenRotated,
  ApplicationAuthorized,
  ApplicationCreated,
  ApplicationDeauthorized,
  ApplicationRemoved,
  ApplicationUpdated,
} from '../../../auth/events.ts'
import {
  GpgKeyAdded,
  GpgKeyRemoved,
  GpgKeyRevoked,
  SshKeyAdded,
  SshKeyRemoved,
  EmailAdded,
  EmailChangeRequested,
  EmailRemoved,
  UserCreated,
  UserDeleted,
  UserStateChanged,
  UserUpdated,
} from '../../../users/events.ts'
import { INSTANCE, type NameLookup, asTarget } from '../store.ts'
import { audited, type Draft } from '../record.ts'
import { changesIn, verb } from './changes.ts'

/** Returns an audit event about an account. */
function userDraft(
  lookup: NameLookup,
  id: number,
  name: string,
  message: string,
  rest: Partial<Draft> = {},
): Draft {
  return { name, message, entity: lookup.user(id), ...rest }
}

function tokenDraft(event: { token_id: number; user_id: number }, lookup: NameLookup, action: string): Draft {
  const details = lookup.name('personal_access_tokens', 'name', event.token_id)
  return userDraft(
    lookup,
    event.user_id,
    `personal_access_token_${action}`,
    `${verb(action)} personal access token ${details}`,
    {
      target: { type: 'PersonalAccessToken', id: event.token_id, details },
    },
  )
}

interface Key {
  readonly key_id: number
  readonly user_id: number
}

function keyDraft(event: Key, lookup: NameLookup, kind: 'ssh' | 'gpg', action: string): Draft {
  const details = kind === 'ssh' ? lookup.name('ssh_keys', 'title', event.key_id) : ''
  const label = `${kind.toUpperCase()} key ${details === '' ? event.key_id : details}`
  return userDraft(lookup, event.user_id, `${kind}_key_${action}`, `${verb(action)} ${label}`, {
    target: { type: kind === 'ssh' ? 'Key' : 'GpgKey', id: event.key_id, details: label },
  })
}

interface Application {
  readonly application_id: number | null
}

function applicationDraft(event: Application, lookup: NameLookup, action: string): Draft {
  const id = event.application_id
  const details = id === null ? 'all applications' : lookup.name('oauth_applications', 'name', id)
  return {
    name: `oauth_application_${action}`,
    message: `${verb(action)} OAuth application ${details}`,
    entity: INSTANCE,
    target: { type: 'OauthApplication', id, details },
  }
}

/** Audited columns with values that the event does not contain. */
const COLUMNS_WITHOUT_VALUES: Readonly<Record<string, [name: string, message: string]>> = {
  password_hash: ['user_password_updated', 'Changed the password'],
  identities: ['user_identities_updated', 'Changed the accounts at sign-in providers'],
}

/** Audits sign-ins, accounts and their credentials. */
export const accounts: Subscription[] = [
  audited(SignedIn, (event, lookup) =>
    userDraft(lookup, event.user_id, 'user_signed_in', 'Signed in', {
      author_id: event.user_id,
      details: { with: 'standard' },
    }),
  ),
  audited(SignInFailed, (event, lookup) =>
    userDraft(lookup, event.user_id, 'user_sign_in_failed', 'Entered a wrong password', {
      author_id: null,
      author_name: 'An unauthenticated user',
      details: { failed_login: 'STANDARD', failures: event.failures },
    }),
  ),
  audited(SignInRefused, (event, lookup) =>
    userDraft(
      lookup,
      event.user_id,
      'user_sign_in_refused',
      `Could not sign in: the account is ${event.state}`,
      {
        author_id: event.user_id,
      },
    ),
  ),
  audited(UserCreated, (event, lookup) =>
    userDraft(lookup, event.user_id, 'user_created', `Created user ${lookup.user(event.user_id).path}`),
  ),
  audited(UserUpdated, (event, lookup) => {
    const entity = lookup.user(event.user_id)
    const changes = changesIn('user', event.changes, entity)
    const secretChange = Object.entries(COLUMNS_WITHOUT_VALUES).find(([column]) =>
      event.changed.includes(column),
    )?.[1]
    if (!secretChange) return changes
    const [name, sentence] = secretChange
    return { ...changes, entity, name, message: changes ? `${sentence}. ${changes.message}` : sentence }
  }),
  audited(UserStateChanged, (event, lookup) =>
    userDraft(
      lookup,
      event.user_id,
      'user_state_changed',
      `Changed the state from ${event.from} to ${event.to}`,
      {
        details: { change: 'state', from: event.from, to: event.to },
      },
    ),
  ),
  audited(UserDeleted, (event, lookup) => ({
    name: 'user_destroyed',
    message: `Deleted user ${event.username}`,
    entity: lookup.user(event.user_id, event.username),
    details: { remove: 'user' },
  })),
  audited(EmailAdded, (event, lookup) => {
    const email = lookup.name('user_emails', 'email', event.email_id)
    return userDraft(lookup, event.user_id, 'email_created', `Added email address ${email}`, {
      target: { type: 'Email', id: event.email_id, details: email },
    })
  }),
  audited(EmailRemoved, (event, lookup) =>
    userDraft(lookup, event.user_id, 'email_destroyed', 'Removed an email address'),
  ),
  audited(EmailChangeRequested, (event, lookup) =>
    userDraft(lookup, event.user_id, 'email_change_requested', 'Requested a change of the email address'),
  ),
  audited(TokenCreated, (event, lookup) => tokenDraft(event, lookup, 'created')),
  audited(TokenRevoked, (event, lookup) => tokenDraft(event, lookup, 'revoked')),
  audited(TokenRotated, (event, lookup) => tokenDraft(event, lookup, 'rotated')),
  audited(SshKeyAdded, (event, lookup) => keyDraft(event, lookup, 'ssh', 'added')),
  audited(SshKeyRemoved, (event, lookup) => keyDraft(event, lookup, 'ssh', 'removed')),
  audited(GpgKeyAdded, (event, lookup) => keyDraft(event, lookup, 'gpg', 'added')),
  audited(GpgKeyRemoved, (event, lookup) => keyDraft(event, lookup, 'gpg', 'removed')),
  audited(GpgKeyRevoked, (event, lookup) => keyDraft(event, lookup, 'gpg', 'revoked')),
  audited(ApplicationCreated, (event, lookup) => applicationDraft(event, lookup, 'created')),
  audited(ApplicationUpdated, (event, lookup) => applicationDraft(event, lookup, 'updated')),
  audited(ApplicationRemoved, (event, lookup) => applicationDraft(event, lookup, 'removed')),
  audited(ApplicationAuthorized, (event, lookup) => ({
    ...applicationDraft(event, lookup, 'authorized'),
    entity: lookup.user(event.user_id),
    author_id: event.user_id,
  })),
  audited(ApplicationDeauthorized, (event, lookup) => ({
    ...applicationDraft(event, lookup, 'deauthorized'),
    entity: lookup.user(event.user_id),
    target: asTarget(lookup.user(event.user_id)),
    author_id: event.user_id,
  })),
]
