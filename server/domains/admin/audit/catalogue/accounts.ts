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
  look: NameLookup,
  id: number,
  name: string,
  message: string,
  more: Partial<Draft> = {},
): Draft {
  return { name, message, entity: look.user(id), ...more }
}

function ofToken(event: { token_id: number; user_id: number }, look: NameLookup, done: string): Draft {
  const details = look.name('personal_access_tokens', 'name', event.token_id)
  return ofUser(
    look,
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

function ofKey(event: Key, look: NameLookup, kind: 'ssh' | 'gpg', done: string): Draft {
  const details = kind === 'ssh' ? look.name('ssh_keys', 'title', event.key_id) : ''
  const called = `${kind.toUpperCase()} key ${details === '' ? event.key_id : details}`
  return ofUser(look, event.user_id, `${kind}_key_${done}`, `${verb(done)} ${called}`, {
    target: { type: kind === 'ssh' ? 'Key' : 'GpgKey', id: event.key_id, details: called },
  })
}

interface Application {
  readonly application_id: number | null
}

function ofApplication(event: Application, look: NameLookup, done: string): Draft {
  const id = event.application_id
  const details = id === null ? 'all applications' : look.name('oauth_applications', 'name', id)
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
  audited(SignedIn, (event, look) =>
    ofUser(look, event.user_id, 'user_signed_in', 'Signed in', {
      author_id: event.user_id,
      details: { with: 'standard' },
    }),
  ),
  audited(SignInFailed, (event, look) =>
    ofUser(look, event.user_id, 'user_sign_in_failed', 'Entered a wrong password', {
      author_id: null,
      author_name: 'An unauthenticated user',
      details: { failed_login: 'STANDARD', failures: event.failures },
    }),
  ),
  audited(SignInRefused, (event, look) =>
    ofUser(look, event.user_id, 'user_sign_in_refused', `Could not sign in: the account is ${event.state}`, {
      author_id: event.user_id,
    }),
  ),
  audited(UserCreated, (event, look) =>
    ofUser(look, event.user_id, 'user_created', `Created user ${look.user(event.user_id).path}`),
  ),
  audited(UserUpdated, (event, look) => {
    const entity = look.user(event.user_id)
    const changes = changesIn('user', event.changes, entity)
    const unsaid = Object.entries(UNSAID).find(([column]) => event.changed.includes(column))?.[1]
    if (!unsaid) return changes
    const [name, sentence] = unsaid
    return { ...changes, entity, name, message: changes ? `${sentence}. ${changes.message}` : sentence }
  }),
  audited(UserStateChanged, (event, look) =>
    ofUser(look, event.user_id, 'user_state_changed', `Changed the state from ${event.from} to ${event.to}`, {
      details: { change: 'state', from: event.from, to: event.to },
    }),
  ),
  audited(UserDeleted, (event, look) => ({
    name: 'user_destroyed',
    message: `Deleted user ${event.username}`,
    entity: look.user(event.user_id, event.username),
    details: { remove: 'user' },
  })),
  audited(EmailAdded, (event, look) => {
    const email = look.name('user_emails', 'email', event.email_id)
    return ofUser(look, event.user_id, 'email_created', `Added email address ${email}`, {
      target: { type: 'Email', id: event.email_id, details: email },
    })
  }),
  audited(EmailRemoved, (event, look) =>
    ofUser(look, event.user_id, 'email_destroyed', 'Removed an email address'),
  ),
  audited(EmailChangeRequested, (event, look) =>
    ofUser(look, event.user_id, 'email_change_requested', 'Requested a change of the email address'),
  ),
  audited(TokenCreated, (event, look) => ofToken(event, look, 'created')),
  audited(TokenRevoked, (event, look) => ofToken(event, look, 'revoked')),
  audited(TokenRotated, (event, look) => ofToken(event, look, 'rotated')),
  audited(SshKeyAdded, (event, look) => ofKey(event, look, 'ssh', 'added')),
  audited(SshKeyRemoved, (event, look) => ofKey(event, look, 'ssh', 'removed')),
  audited(GpgKeyAdded, (event, look) => ofKey(event, look, 'gpg', 'added')),
  audited(GpgKeyRemoved, (event, look) => ofKey(event, look, 'gpg', 'removed')),
  audited(GpgKeyRevoked, (event, look) => ofKey(event, look, 'gpg', 'revoked')),
  audited(ApplicationCreated, (event, look) => ofApplication(event, look, 'created')),
  audited(ApplicationUpdated, (event, look) => ofApplication(event, look, 'updated')),
  audited(ApplicationRemoved, (event, look) => ofApplication(event, look, 'removed')),
  audited(ApplicationAuthorized, (event, look) => ({
    ...ofApplication(event, look, 'authorized'),
    entity: look.user(event.user_id),
    author_id: event.user_id,
  })),
  audited(ApplicationDeauthorized, (event, look) => ({
    ...ofApplication(event, look, 'deauthorized'),
    entity: look.user(event.user_id),
    target: asTarget(look.user(event.user_id)),
    author_id: event.user_id,
  })),
]
