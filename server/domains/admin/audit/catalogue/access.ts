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

/** The fields of an event about an access token or a deploy token. */
interface Token {
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  readonly token_id: number
}

function tokenDraft(
  event: Token,
  lookup: NameLookup,
  kind: 'access_token' | 'deploy_token',
  action: string,
): Draft {
  const table = kind === 'access_token' ? 'personal_access_tokens' : 'deploy_tokens'
  const details = lookup.name(table, 'name', event.token_id)
  return {
    name: `${kind}_${action}`,
    message: `${verb(action)} ${kind.replace('_', ' ')} ${details}`,
    entity: lookup.scope(event),
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

function deployKeyDraft(event: Key, lookup: NameLookup, action: string, details = ''): Draft {
  const title = lookup.name('ssh_keys', 'title', event.key_id)
  return {
    name: `deploy_key_${action}`,
    message: `${verb(action)} deploy key ${title}${details}`,
    entity: lookup.project(event.project_id),
    target: { type: 'DeployKey', id: event.key_id, details: title },
  }
}

interface Share {
  readonly group_id: number
  readonly access_level: number
}

function shareDraft(
  owner: Draft['entity'],
  invited: Draft['entity'],
  level: number,
  action: 'added' | 'removed',
): Draft {
  const isNew = action === 'added'
  return {
    name: isNew ? 'group_share_created' : 'group_share_removed',
    message: isNew ? `Invited group ${invited.path} as ${levelName(level)}` : `Removed group ${invited.path}`,
    entity: owner,
    target: asTarget(invited),
    details: isNew ? { add: 'group_access', as: levelName(level) } : { remove: 'group_access' },
  }
}

const projectShareDraft = (
  event: Share & { project_id: number },
  lookup: NameLookup,
  action: 'added' | 'removed',
): Draft =>
  shareDraft(lookup.project(event.project_id), lookup.group(event.group_id), event.access_level, action)

const groupShareDraft = (
  event: Share & { invited_group_id: number },
  lookup: NameLookup,
  action: 'added' | 'removed',
) =>
  shareDraft(lookup.group(event.group_id), lookup.group(event.invited_group_id), event.access_level, action)

const REMOVAL_VERBS = { removed: 'Removed', left: 'Left:', expired: 'Membership ended:' } as const

/** Audits members, shares, tokens and keys that give access. */
export const access: Subscription[] = [
  audited(MemberAdded, (event, lookup) => {
    const user = lookup.user(event.user_id)
    const as = levelName(event.access_level)
    return {
      name: 'member_created',
      message: `Added ${user.path} as ${as}`,
      entity: lookup.scope(event),
      target: asTarget(user),
      details: { add: 'user_access', as, ...(event.expires_at ? { expiry_to: event.expires_at } : {}) },
    }
  }),
  audited(MemberUpdated, (event, lookup) => {
    const user = lookup.user(event.user_id)
    const [from, to] = [levelName(event.old_access_level), levelName(event.access_level)]
    const until = event.expires_at ? ` until ${event.expires_at}` : ''
    return {
      name: 'member_updated',
      message: `Changed the role of ${user.path} from ${from} to ${to}${until}`,
      entity: lookup.scope(event),
      target: asTarget(user),
      details: { change: 'access_level', from, to },
    }
  }),
  audited(MemberRemoved, (event, lookup) => {
    const user = lookup.user(event.user_id, event.user?.username)
    return {
      name: 'member_destroyed',
      message: `${REMOVAL_VERBS[event.cause]} ${user.path}`,
      entity: lookup.scope(event),
      target: asTarget(user),
      details: { remove: 'user_access' },
    }
  }),
  audited(MemberInvited, (event, lookup) => ({
    name: 'member_invited',
    message: 'Invited a person by email',
    entity: lookup.scope(event),
  })),
  audited(ShareExpired, (event, lookup) =>
    shareDraft(lookup.group(event.group_id), lookup.group(event.invited_group_id), 0, 'removed'),
  ),
  audited(ProjectShared, (event, lookup) => projectShareDraft(event, lookup, 'added')),
  audited(ProjectUnshared, (event, lookup) => projectShareDraft(event, lookup, 'removed')),
  audited(GroupShared, (event, lookup) => groupShareDraft(event, lookup, 'added')),
  audited(GroupUnshared, (event, lookup) => groupShareDraft(event, lookup, 'removed')),
  audited(AccessTokenCreated, (event, lookup) => tokenDraft(event, lookup, 'access_token', 'created')),
  audited(AccessTokenRemoved, (event, lookup) => tokenDraft(event, lookup, 'access_token', 'revoked')),
  audited(DeployTokenCreated, (event, lookup) => tokenDraft(event, lookup, 'deploy_token', 'created')),
  audited(DeployTokenRemoved, (event, lookup) => tokenDraft(event, lookup, 'deploy_token', 'revoked')),
  audited(DeployKeyEnabled, (event, lookup) =>
    deployKeyDraft(event, lookup, 'added', event.can_push ? ' with write access' : ''),
  ),
  audited(DeployKeyUpdated, (event, lookup) =>
    deployKeyDraft(event, lookup, 'updated', event.can_push ? ': it may write' : ': it may read'),
  ),
  audited(DeployKeyDisabled, (event, lookup) => deployKeyDraft(event, lookup, 'removed')),
  audited(ScimTokenChanged, (event, lookup) => ({
    name: `scim_token_${event.action}`,
    message: `${verb(event.action)} the SCIM token`,
    entity: lookup.scope(event),
  })),
  audited(ScimIdentityChanged, (event, lookup) => {
    const user = lookup.user(event.user_id)
    return {
      name: `scim_identity_${event.action}`,
      message: `${verb(event.action)} ${user.path} (${event.extern_uid})`,
      entity: lookup.scope(event),
      target: asTarget(user),
      ...(event.actor_id === null ? { author_name: 'SCIM' } : {}),
    }
  }),
]
