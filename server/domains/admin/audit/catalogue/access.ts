import type { Subscription } from '../../../../events/publish.ts'
import {
  AccessTokenCreated,
  AccessTokenRemoved,
  ScimIdentityChanged,
  ScimTokenChanged,
} from '../../../accounts/events.ts'
import {
  DeployKeyDisabled,
  DeployKeyEnabled,
  DeployKeyUpdated,
  DeployTokenCreated,
  DeployTokenRemoved,
} from '../../../repository/events.ts'
import { GroupShared, GroupUnshared } from '../../../groups/events.ts'
import {
  MemberAdded,
  MemberInvited,
  MemberRemoved,
  MemberUpdated,
  ShareExpired,
} from '../../../members/events.ts'
import { ProjectShared, ProjectUnshared } from '../../../projects/events.ts'
import { type NameLookup, asTarget } from '../store.ts'
import { audited, type Draft } from '../record.ts'
import { levelName, verb } from './changes.ts'

interface Token {
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  readonly token_id: number
}

function ofToken(event: Token, look: NameLookup, kind: 'access_token' | 'deploy_token', done: string): Draft {
  const table = kind === 'access_token' ? 'personal_access_tokens' : 'deploy_tokens'
  const details = look.name(table, 'name', event.token_id)
  return {
    name: `${kind}_${done}`,
    message: `${verb(done)} ${kind.replace('_', ' ')} ${details}`,
    entity: look.scope(event),
    target: {
      type: kind === 'access_token' ? 'PersonalAccessToken' : 'DeployToken',
      id: event.token_id,
      details,
    },
  }
}

interface Key {
  readonly project_id: number
  readonly key_id: number
}

function ofDeployKey(event: Key, look: NameLookup, done: string, more = ''): Draft {
  const title = look.name('ssh_keys', 'title', event.key_id)
  return {
    name: `deploy_key_${done}`,
    message: `${verb(done)} deploy key ${title}${more}`,
    entity: look.project(event.project_id),
    target: { type: 'DeployKey', id: event.key_id, details: title },
  }
}

interface Share {
  readonly group_id: number
  readonly access_level: number
}

function ofShare(
  owner: Draft['entity'],
  invited: Draft['entity'],
  level: number,
  done: 'added' | 'removed',
): Draft {
  const isNew = done === 'added'
  return {
    name: isNew ? 'group_share_created' : 'group_share_removed',
    message: isNew ? `Invited group ${invited.path} as ${levelName(level)}` : `Removed group ${invited.path}`,
    entity: owner,
    target: asTarget(invited),
    details: isNew ? { add: 'group_access', as: levelName(level) } : { remove: 'group_access' },
  }
}

const ofProjectShare = (
  event: Share & { project_id: number },
  look: NameLookup,
  done: 'added' | 'removed',
): Draft => ofShare(look.project(event.project_id), look.group(event.group_id), event.access_level, done)

const ofGroupShare = (
  event: Share & { invited_group_id: number },
  look: NameLookup,
  done: 'added' | 'removed',
) => ofShare(look.group(event.group_id), look.group(event.invited_group_id), event.access_level, done)

const LEAVING = { removed: 'Removed', left: 'Left:', expired: 'Membership ended:' } as const

/** Audits members, shares, tokens and keys that give access. */
export const access: Subscription[] = [
  audited(MemberAdded, (event, look) => {
    const user = look.user(event.user_id)
    const as = levelName(event.access_level)
    return {
      name: 'member_created',
      message: `Added ${user.path} as ${as}`,
      entity: look.scope(event),
      target: asTarget(user),
      details: { add: 'user_access', as, ...(event.expires_at ? { expiry_to: event.expires_at } : {}) },
    }
  }),
  audited(MemberUpdated, (event, look) => {
    const user = look.user(event.user_id)
    const [from, to] = [levelName(event.old_access_level), levelName(event.access_level)]
    const until = event.expires_at ? ` until ${event.expires_at}` : ''
    return {
      name: 'member_updated',
      message: `Changed the role of ${user.path} from ${from} to ${to}${until}`,
      entity: look.scope(event),
      target: asTarget(user),
      details: { change: 'access_level', from, to },
    }
  }),
  audited(MemberRemoved, (event, look) => {
    const user = look.user(event.user_id, event.user?.username)
    return {
      name: 'member_destroyed',
      message: `${LEAVING[event.cause]} ${user.path}`,
      entity: look.scope(event),
      target: asTarget(user),
      details: { remove: 'user_access' },
    }
  }),
  audited(MemberInvited, (event, look) => ({
    name: 'member_invited',
    message: 'Invited a person by email',
    entity: look.scope(event),
  })),
  audited(ShareExpired, (event, look) =>
    ofShare(look.group(event.group_id), look.group(event.invited_group_id), 0, 'removed'),
  ),
  audited(ProjectShared, (event, look) => ofProjectShare(event, look, 'added')),
  audited(ProjectUnshared, (event, look) => ofProjectShare(event, look, 'removed')),
  audited(GroupShared, (event, look) => ofGroupShare(event, look, 'added')),
  audited(GroupUnshared, (event, look) => ofGroupShare(event, look, 'removed')),
  audited(AccessTokenCreated, (event, look) => ofToken(event, look, 'access_token', 'created')),
  audited(AccessTokenRemoved, (event, look) => ofToken(event, look, 'access_token', 'revoked')),
  audited(DeployTokenCreated, (event, look) => ofToken(event, look, 'deploy_token', 'created')),
  audited(DeployTokenRemoved, (event, look) => ofToken(event, look, 'deploy_token', 'revoked')),
  audited(DeployKeyEnabled, (event, look) =>
    ofDeployKey(event, look, 'added', event.can_push ? ' with write access' : ''),
  ),
  audited(DeployKeyUpdated, (event, look) =>
    ofDeployKey(event, look, 'updated', event.can_push ? ': it may write' : ': it may read'),
  ),
  audited(DeployKeyDisabled, (event, look) => ofDeployKey(event, look, 'removed')),
  audited(ScimTokenChanged, (event, look) => ({
    name: `scim_token_${event.action}`,
    message: `${verb(event.action)} the SCIM token`,
    entity: look.scope(event),
  })),
  audited(ScimIdentityChanged, (event, look) => {
    const user = look.user(event.user_id)
    return {
      name: `scim_identity_${event.action}`,
      message: `${verb(event.action)} ${user.path} (${event.extern_uid})`,
      entity: look.scope(event),
      target: asTarget(user),
      ...(event.actor_id === null ? { author_name: 'SCIM' } : {}),
    }
  }),
]
