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

/** An audit event about an account itself. */
function ofUser(
  lookup: NameLookup,
  id: number,
  name: string,
  message: string,
  more: Partial<Draft> = {},
): Draft {
  return { name, message, entity: lookup.user(id), ...more }
}

function ofToken(event: { token_id: number; user_id: number }, lookup: NameLookup, done: string): Draft {
  const details = lookup.name('personal_access_tokens', 'name', event.token_id)
  return ofUser(
    lookup,
    event.user_id,
    `personal_access_token_${done}`,
    `${verb(done)} personal access token ${details}`,
    {
      target: { type: 'PersonalAccessToken', id: event.token_id, details },
    },
  )
}

interface Key {
  readonly key_id: number
  readonly user_id: number
}

function ofKey(event: Key, lookup: NameLookup, kind: 'ssh' | 'gpg', done: string): Draft {
  const details = kind === 'ssh' ? lookup.name('ssh_keys', 'title', event.key_id) : ''
  const called = `${kind.toUpperCase()} key ${details === '' ? event.key_id : details}`
  return ofUser(lookup, event.user_id, `${kind}_key_${done}`, `${verb(done)} ${called}`, {
    target: { type: kind === 'ssh' ? 'Key' : 'GpgKey', id: event.key_id, details: called },
  })
}

interface Application {
  readonly application_id: number | null
}

function ofApplication(event: Application, lookup: NameLookup, done: string): Draft {
  const id = event.application_id
  const details = id === null ? 'all applications' : lookup.name('oauth_applications', 'name', id)
  return {
    name: `oauth_application_${done}`,
    message: `${verb(done)} OAuth application ${details}`,
    entity: INSTANCE,
    target: { type: 'OauthApplication', id, details },
  }
}

/** Columns with changes that are audited although the event does not carry their values. */
const UNSAID: Readonly<Record<string, [name: string, message: string]>> = {
  password_hash: ['user_password_updated', 'Changed the password'],
  identities: ['user_identities_updated', 'Changed the accounts at sign-in providers'],
}

/** Audits sign-ins, accounts and their credentials. */
export const accounts: Subscription[] = [
  audited(SignedIn, (event, lookup) =>
    ofUser(lookup, event.user_id, 'user_signed_in', 'Signed in', {
      author_id: event.user_id,
      details: { with: 'standard' },
    }),
  ),
  audited(SignInFailed, (event, lookup) =>
    ofUser(lookup, event.user_id, 'user_sign_in_failed', 'Entered a wrong password', {
      author_id: null,
      author_name: 'An unauthenticated user',
      details: { failed_login: 'STANDARD', failures: event.failures },
    }),
  ),
  audited(SignInRefused, (event, lookup) =>
    ofUser(
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
    ofUser(lookup, event.user_id, 'user_created', `Created user ${lookup.user(event.user_id).path}`),
  ),
  audited(UserUpdated, (event, lookup) => {
    const entity = lookup.user(event.user_id)
    const changes = changesIn('user', event.changes, entity)
    const unsaid = Object.entries(UNSAID).find(([column]) => event.changed.includes(column))?.[1]
    if (!unsaid) return changes
    const [name, sentence] = unsaid
    return { ...changes, entity, name, message: changes ? `${sentence}. ${changes.message}` : sentence }
  }),
  audited(UserStateChanged, (event, lookup) =>
    ofUser(
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
    return ofUser(lookup, event.user_id, 'email_created', `Added email address ${email}`, {
      target: { type: 'Email', id: event.email_id, details: email },
    })
  }),
  audited(EmailRemoved, (event, lookup) =>
    ofUser(lookup, event.user_id, 'email_destroyed', 'Removed an email address'),
  ),
  audited(EmailChangeRequested, (event, lookup) =>
    ofUser(lookup, event.user_id, 'email_change_requested', 'Requested a change of the email address'),
  ),
  audited(TokenCreated, (event, lookup) => ofToken(event, lookup, 'created')),
  audited(TokenRevoked, (event, lookup) => ofToken(event, lookup, 'revoked')),
  audited(TokenRotated, (event, lookup) => ofToken(event, lookup, 'rotated')),
  audited(SshKeyAdded, (event, lookup) => ofKey(event, lookup, 'ssh', 'added')),
  audited(SshKeyRemoved, (event, lookup) => ofKey(event, lookup, 'ssh', 'removed')),
  audited(GpgKeyAdded, (event, lookup) => ofKey(event, lookup, 'gpg', 'added')),
  audited(GpgKeyRemoved, (event, lookup) => ofKey(event, lookup, 'gpg', 'removed')),
  audited(GpgKeyRevoked, (event, lookup) => ofKey(event, lookup, 'gpg', 'revoked')),
  audited(ApplicationCreated, (event, lookup) => ofApplication(event, lookup, 'created')),
  audited(ApplicationUpdated, (event, lookup) => ofApplication(event, lookup, 'updated')),
  audited(ApplicationRemoved, (event, lookup) => ofApplication(event, lookup, 'removed')),
  audited(ApplicationAuthorized, (event, lookup) => ({
    ...ofApplication(event, lookup, 'authorized'),
    entity: lookup.user(event.user_id),
    author_id: event.user_id,
  })),
  audited(ApplicationDeauthorized, (event, lookup) => ({
    ...ofApplication(event, lookup, 'deauthorized'),
    entity: lookup.user(event.user_id),
    target: asTarget(lookup.user(event.user_id)),
    author_id: event.user_id,
  })),
]
