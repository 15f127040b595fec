import type { Subscription } from '../../../../events/facts.ts'
import { AccessTokenCreated, AccessTokenRemoved } from '../../../access_tokens/events.ts'
import {
  DeployKeyDisabled,
  DeployKeyEnabled,
  DeployKeyUpdated,
  DeployTokenCreated,
  DeployTokenRemoved,
} from '../../../deploy_keys/events.ts'
import { GroupShared, GroupUnshared } from '../../../groups/events.ts'
import {
  MemberAdded,
  MemberInvited,
  MemberRemoved,
  MemberUpdated,
  ShareExpired,
} from '../../../members/events.ts'
import { ProjectShared, ProjectUnshared } from '../../../projects/events.ts'
import { ScimIdentityChanged, ScimTokenChanged } from '../../../scim/events.ts'
import { asTarget, type Look } from '../look.ts'
import { told, type Draft } from '../record.ts'
import { levelName, verb } from '../words.ts'

interface Token {
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  readonly token_id: number
}

function ofToken(fact: Token, look: Look, kind: 'access_token' | 'deploy_token', done: string): Draft {
  const table = kind === 'access_token' ? 'personal_access_tokens' : 'deploy_tokens'
  const details = look.name(table, 'name', fact.token_id)
  return {
    name: `${kind}_${done}`,
    message: `${verb(done)} ${kind.replace('_', ' ')} ${details}`,
    entity: look.place(fact),
    target: {
      type: kind === 'access_token' ? 'PersonalAccessToken' : 'DeployToken',
      id: fact.token_id,
      details,
    },
  }
}

interface Key {
  readonly project_id: number
  readonly key_id: number
}

function ofDeployKey(fact: Key, look: Look, done: string, more = ''): Draft {
  const title = look.name('ssh_keys', 'title', fact.key_id)
  return {
    name: `deploy_key_${done}`,
    message: `${verb(done)} deploy key ${title}${more}`,
    entity: look.project(fact.project_id),
    target: { type: 'DeployKey', id: fact.key_id, details: title },
  }
}

interface Share {
  readonly group_id: number
  readonly access_level: number
}

function ofShare(
  place: Draft['entity'],
  invited: Draft['entity'],
  level: number,
  done: 'added' | 'removed',
): Draft {
  const isNew = done === 'added'
  return {
    name: isNew ? 'group_share_created' : 'group_share_removed',
    message: isNew ? `Invited group ${invited.path} as ${levelName(level)}` : `Removed group ${invited.path}`,
    entity: place,
    target: asTarget(invited),
    details: isNew ? { add: 'group_access', as: levelName(level) } : { remove: 'group_access' },
  }
}

const ofProjectShare = (fact: Share & { project_id: number }, look: Look, done: 'added' | 'removed'): Draft =>
  ofShare(look.project(fact.project_id), look.group(fact.group_id), fact.access_level, done)

const ofGroupShare = (fact: Share & { invited_group_id: number }, look: Look, done: 'added' | 'removed') =>
  ofShare(look.group(fact.group_id), look.group(fact.invited_group_id), fact.access_level, done)

const LEAVING = { removed: 'Removed', left: 'Left:', expired: 'Membership ended:' } as const

/** Who belongs where, and which tokens and keys open it. */
export const access: Subscription[] = [
  told(MemberAdded, (fact, look) => {
    const user = look.user(fact.user_id)
    const as = levelName(fact.access_level)
    return {
      name: 'member_created',
      message: `Added ${user.path} as ${as}`,
      entity: look.place(fact),
      target: asTarget(user),
      details: { add: 'user_access', as, ...(fact.expires_at ? { expiry_to: fact.expires_at } : {}) },
    }
  }),
  told(MemberUpdated, (fact, look) => {
    const user = look.user(fact.user_id)
    const [from, to] = [levelName(fact.old_access_level), levelName(fact.access_level)]
    const until = fact.expires_at ? ` until ${fact.expires_at}` : ''
    return {
      name: 'member_updated',
      message: `Changed the role of ${user.path} from ${from} to ${to}${until}`,
      entity: look.place(fact),
      target: asTarget(user),
      details: { change: 'access_level', from, to },
    }
  }),
  told(MemberRemoved, (fact, look) => {
    const user = look.user(fact.user_id, fact.user?.username)
    return {
      name: 'member_destroyed',
      message: `${LEAVING[fact.cause]} ${user.path}`,
      entity: look.place(fact),
      target: asTarget(user),
      details: { remove: 'user_access' },
    }
  }),
  told(MemberInvited, (fact, look) => ({
    name: 'member_invited',
    message: 'Invited somebody by e-mail',
    entity: look.place(fact),
  })),
  told(ShareExpired, (fact, look) =>
    ofShare(look.group(fact.group_id), look.group(fact.invited_group_id), 0, 'removed'),
  ),
  told(ProjectShared, (fact, look) => ofProjectShare(fact, look, 'added')),
  told(ProjectUnshared, (fact, look) => ofProjectShare(fact, look, 'removed')),
  told(GroupShared, (fact, look) => ofGroupShare(fact, look, 'added')),
  told(GroupUnshared, (fact, look) => ofGroupShare(fact, look, 'removed')),
  told(AccessTokenCreated, (fact, look) => ofToken(fact, look, 'access_token', 'created')),
  told(AccessTokenRemoved, (fact, look) => ofToken(fact, look, 'access_token', 'revoked')),
  told(DeployTokenCreated, (fact, look) => ofToken(fact, look, 'deploy_token', 'created')),
  told(DeployTokenRemoved, (fact, look) => ofToken(fact, look, 'deploy_token', 'revoked')),
  told(DeployKeyEnabled, (fact, look) =>
    ofDeployKey(fact, look, 'added', fact.can_push ? ' with write access' : ''),
  ),
  told(DeployKeyUpdated, (fact, look) =>
    ofDeployKey(fact, look, 'updated', fact.can_push ? ': it may write' : ': it may read'),
  ),
  told(DeployKeyDisabled, (fact, look) => ofDeployKey(fact, look, 'removed')),
  told(ScimTokenChanged, (fact, look) => ({
    name: `scim_token_${fact.action}`,
    message: `${verb(fact.action)} the SCIM token`,
    entity: look.place(fact),
  })),
  told(ScimIdentityChanged, (fact, look) => {
    const user = look.user(fact.user_id)
    return {
      name: `scim_identity_${fact.action}`,
      message: `${verb(fact.action)} ${user.path} (${fact.extern_uid})`,
      entity: look.place(fact),
      target: asTarget(user),
      ...(fact.actor_id === null ? { author_name: 'SCIM' } : {}),
    }
  }),
]
