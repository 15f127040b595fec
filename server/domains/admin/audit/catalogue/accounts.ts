import type { Subscription } from '../../../../events/facts.ts'
import {
  SignedIn,
  SignInFailed,
  SignInRefused,
  TokenCreated,
  TokenRevoked,
  TokenRotated,
} from '../../../auth/events.ts'
import {
  GpgKeyAdded,
  GpgKeyRemoved,
  GpgKeyRevoked,
  SshKeyAdded,
  SshKeyRemoved,
} from '../../../users/keys/events.ts'
import {
  ApplicationAuthorized,
  ApplicationCreated,
  ApplicationDeauthorized,
  ApplicationRemoved,
  ApplicationUpdated,
} from '../../../auth/oauth/events.ts'
import {
  EmailAdded,
  EmailChangeRequested,
  EmailRemoved,
  UserCreated,
  UserDeleted,
  UserStateChanged,
  UserUpdated,
} from '../../../users/events.ts'
import { asTarget, INSTANCE, type Look } from '../look.ts'
import { told, type Draft } from '../record.ts'
import { changesIn } from './changes.ts'
import { verb } from '../words.ts'

/** A line about an account itself. */
function ofUser(look: Look, id: number, name: string, message: string, more: Partial<Draft> = {}): Draft {
  return { name, message, entity: look.user(id), ...more }
}

function ofToken(fact: { token_id: number; user_id: number }, look: Look, done: string): Draft {
  const details = look.name('personal_access_tokens', 'name', fact.token_id)
  return ofUser(
    look,
    fact.user_id,
    `personal_access_token_${done}`,
    `${verb(done)} personal access token ${details}`,
    {
      target: { type: 'PersonalAccessToken', id: fact.token_id, details },
    },
  )
}

interface Key {
  readonly key_id: number
  readonly user_id: number
}

function ofKey(fact: Key, look: Look, kind: 'ssh' | 'gpg', done: string): Draft {
  const details = kind === 'ssh' ? look.name('ssh_keys', 'title', fact.key_id) : ''
  const called = `${kind.toUpperCase()} key ${details === '' ? fact.key_id : details}`
  return ofUser(look, fact.user_id, `${kind}_key_${done}`, `${verb(done)} ${called}`, {
    target: { type: kind === 'ssh' ? 'Key' : 'GpgKey', id: fact.key_id, details: called },
  })
}

interface Application {
  readonly application_id: number | null
}

function ofApplication(fact: Application, look: Look, done: string): Draft {
  const id = fact.application_id
  const details = id === null ? 'all applications' : look.name('oauth_applications', 'name', id)
  return {
    name: `oauth_application_${done}`,
    message: `${verb(done)} OAuth application ${details}`,
    entity: INSTANCE,
    target: { type: 'OauthApplication', id, details },
  }
}

/** Columns of an account that matter even though nobody is told what stands in them. */
const UNSAID: Readonly<Record<string, [name: string, message: string]>> = {
  password_hash: ['user_password_updated', 'Changed the password'],
  identities: ['user_identities_updated', 'Changed the accounts at sign-in providers'],
}

/** Who signs in, and what becomes of accounts and what proves who they are. */
export const accounts: Subscription[] = [
  told(SignedIn, (fact, look) =>
    ofUser(look, fact.user_id, 'user_signed_in', 'Signed in', {
      author_id: fact.user_id,
      details: { with: 'standard' },
    }),
  ),
  told(SignInFailed, (fact, look) =>
    ofUser(look, fact.user_id, 'user_sign_in_failed', 'Somebody gave a wrong password', {
      author_id: null,
      author_name: 'An unauthenticated user',
      details: { failed_login: 'STANDARD', failures: fact.failures },
    }),
  ),
  told(SignInRefused, (fact, look) =>
    ofUser(look, fact.user_id, 'user_sign_in_refused', `Could not sign in: the account is ${fact.state}`, {
      author_id: fact.user_id,
    }),
  ),
  told(UserCreated, (fact, look) =>
    ofUser(look, fact.user_id, 'user_created', `Created user ${look.user(fact.user_id).path}`),
  ),
  told(UserUpdated, (fact, look) => {
    const entity = look.user(fact.user_id)
    const changes = changesIn('user', fact.changes, entity)
    const unsaid = Object.entries(UNSAID).find(([column]) => fact.changed.includes(column))?.[1]
    if (!unsaid) return changes
    const [name, sentence] = unsaid
    return { ...changes, entity, name, message: changes ? `${sentence}. ${changes.message}` : sentence }
  }),
  told(UserStateChanged, (fact, look) =>
    ofUser(look, fact.user_id, 'user_state_changed', `Changed the state from ${fact.from} to ${fact.to}`, {
      details: { change: 'state', from: fact.from, to: fact.to },
    }),
  ),
  told(UserDeleted, (fact, look) => ({
    name: 'user_destroyed',
    message: `Deleted user ${fact.username}`,
    entity: look.user(fact.user_id, fact.username),
    details: { remove: 'user' },
  })),
  told(EmailAdded, (fact, look) => {
    const email = look.name('user_emails', 'email', fact.email_id)
    return ofUser(look, fact.user_id, 'email_created', `Added e-mail address ${email}`, {
      target: { type: 'Email', id: fact.email_id, details: email },
    })
  }),
  told(EmailRemoved, (fact, look) =>
    ofUser(look, fact.user_id, 'email_destroyed', 'Removed an e-mail address'),
  ),
  told(EmailChangeRequested, (fact, look) =>
    ofUser(look, fact.user_id, 'email_change_requested', 'Asked for another e-mail address'),
  ),
  told(TokenCreated, (fact, look) => ofToken(fact, look, 'created')),
  told(TokenRevoked, (fact, look) => ofToken(fact, look, 'revoked')),
  told(TokenRotated, (fact, look) => ofToken(fact, look, 'rotated')),
  told(SshKeyAdded, (fact, look) => ofKey(fact, look, 'ssh', 'added')),
  told(SshKeyRemoved, (fact, look) => ofKey(fact, look, 'ssh', 'removed')),
  told(GpgKeyAdded, (fact, look) => ofKey(fact, look, 'gpg', 'added')),
  told(GpgKeyRemoved, (fact, look) => ofKey(fact, look, 'gpg', 'removed')),
  told(GpgKeyRevoked, (fact, look) => ofKey(fact, look, 'gpg', 'revoked')),
  told(ApplicationCreated, (fact, look) => ofApplication(fact, look, 'created')),
  told(ApplicationUpdated, (fact, look) => ofApplication(fact, look, 'updated')),
  told(ApplicationRemoved, (fact, look) => ofApplication(fact, look, 'removed')),
  told(ApplicationAuthorized, (fact, look) => ({
    ...ofApplication(fact, look, 'authorized'),
    entity: look.user(fact.user_id),
    author_id: fact.user_id,
  })),
  told(ApplicationDeauthorized, (fact, look) => ({
    ...ofApplication(fact, look, 'deauthorized'),
    entity: look.user(fact.user_id),
    target: asTarget(look.user(fact.user_id)),
    author_id: fact.user_id,
  })),
]
