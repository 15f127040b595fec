import type { Ctx } from '../../ctx.ts'
import { on, type Subscription, together } from '../../events/publish.ts'
import { SignInRefused } from '../auth/events.ts'
import { GroupCreated, GroupDeleted, GroupRenamed } from '../groups/events.ts'
import { MemberAdded, MemberRemoved, MemberUpdated } from '../members/events.ts'
import { namespaceById } from '../namespaces/index.ts'
import {
  ProjectCreated,
  ProjectDeleted,
  ProjectRenamed,
  ProjectTransferred,
  ProjectUpdated,
} from '../projects/events.ts'
import { RefsUpdated } from '../repository/events.ts'
import { SshKeyAdded, SshKeyRemoved, UserCreated, UserDeleted, UserUpdated } from '../users/events.ts'
import { sshKeyById } from '../users/index.ts'
import { parentGroupOf, subgroupEvent } from './payloads/groups.ts'
import { memberEvent, type Membership, teamEvent, type MembershipChange } from './payloads/members.ts'
import { repositoryUpdateEvent } from './payloads/push.ts'
import {
  groupSystemEvent,
  keySystemEvent,
  projectSystemEvent,
  projectSystemEventOf,
  userSystemEvent,
  userSystemEventOf,
} from './payloads/system.ts'
import { hasListenerFor, recordAll } from './recording/service.ts'

/** True if the instance has a system hook, which gets all of these events. */
const hasSystemHook = (_: unknown, ctx: Ctx): boolean => hasListenerFor(ctx.db, 'system', {})

/** The key that keeps all events in order, so that a creation is delivered before a deletion. */
const key = (): string => 'webhooks.system'
const options = { only: hasSystemHook, key }

const projects: Subscription[] = [
  on(
    ProjectCreated,
    'webhooks.project_created',
    (ctx, event) =>
      recordAll(ctx, [projectSystemEvent(ctx, event.project_id, 'project_create')], event.actor_id),
    options,
  ),
  on(
    ProjectUpdated,
    'webhooks.project_updated',
    (ctx, event) =>
      recordAll(ctx, [projectSystemEvent(ctx, event.project_id, 'project_update')], event.actor_id),
    // A new path publishes its own event, which includes the other changes.
    { key, only: (event, ctx) => event.old_path === undefined && hasSystemHook(event, ctx) },
  ),
  ...([ProjectRenamed, ProjectTransferred] as (typeof ProjectRenamed)[]).map((type) =>
    on(
      type,
      `webhooks.${type.name}`,
      (ctx, { project_id, old_path_with_namespace, actor_id }) => {
        const name = type === ProjectRenamed ? 'project_rename' : 'project_transfer'
        recordAll(ctx, [projectSystemEvent(ctx, project_id, name, { old_path_with_namespace })], actor_id)
      },
      options,
    ),
  ),
  on(
    ProjectDeleted,
    'webhooks.project_deleted',
    (ctx, { project_id: id, path_with_namespace: full_path, actor_id, ...state }) => {
      const project = { ...state, id, full_path, path: lastOf(full_path) }
      recordAll(ctx, [projectSystemEventOf(ctx, project, 'project_destroy')], actor_id)
    },
    options,
  ),
]

const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const users: Subscription[] = [
  on(
    UserCreated,
    'webhooks.user_created',
    (ctx, event) => recordAll(ctx, [userSystemEvent(ctx, event.user_id, 'user_create')], event.actor_id),
    options,
  ),
  on(
    UserUpdated,
    'webhooks.user_renamed',
    (ctx, { user_id, old_username, actor_id }) =>
      recordAll(ctx, [userSystemEvent(ctx, user_id, 'user_rename', { old_username })], actor_id),
    { key, only: (event, ctx) => event.old_username !== undefined && hasSystemHook(event, ctx) },
  ),
  on(
    UserDeleted,
    'webhooks.user_deleted',
    (ctx, { user_id: id, actor_id, ...state }) =>
      recordAll(ctx, [userSystemEventOf({ ...state, id }, 'user_destroy')], actor_id),
    options,
  ),
  on(
    SignInRefused,
    'webhooks.sign_in_refused',
    (ctx, { user_id, state }) =>
      recordAll(ctx, [userSystemEvent(ctx, user_id, 'user_failed_login', { state })], user_id),
    options,
  ),
  on(
    SshKeyAdded,
    'webhooks.ssh_key_added',
    (ctx, { key_id, actor_id }) => {
      const row = sshKeyById(ctx.db, key_id)
      recordAll(ctx, [row ? keySystemEvent(ctx, row, 'key_create') : null], actor_id)
    },
    options,
  ),
  on(
    SshKeyRemoved,
    'webhooks.ssh_key_removed',
    (ctx, { key_id: id, actor_id, ...state }) =>
      recordAll(ctx, [keySystemEvent(ctx, { ...state, id }, 'key_destroy')], actor_id),
    options,
  ),
]

/** True if a system hook exists, or a webhook of a parent group that listens to subgroups. */
const hasSubgroupListener = (parentId: number | null, ctx: Ctx): boolean =>
  hasSystemHook(null, ctx) ||
  (parentId !== null && hasListenerFor(ctx.db, 'subgroup', { group_id: parentId }))

const groups: Subscription[] = [
  on(
    GroupCreated,
    'webhooks.group_created',
    (ctx, { group_id, actor_id }) => {
      const group = namespaceById(ctx.db, group_id)
      if (!group) return
      const parent = group.parent_id === null ? undefined : namespaceById(ctx.db, group.parent_id)
      const subgroup = parent && subgroupEvent({ ...group, group_id, parent }, 'create', parent.id)
      recordAll(ctx, [groupSystemEvent(group, 'group_create'), subgroup ?? null], actor_id)
    },
    { key, only: (event, ctx) => hasSubgroupListener(event.parent_id, ctx) },
  ),
  on(
    GroupRenamed,
    'webhooks.group_renamed',
    (ctx, { group_id, old_full_path, actor_id }) => {
      const group = namespaceById(ctx.db, group_id)
      const oldPaths = { old_path: lastOf(old_full_path), old_full_path }
      recordAll(ctx, [group ? groupSystemEvent(group, 'group_rename', oldPaths) : null], actor_id)
    },
    options,
  ),
  on(
    GroupDeleted,
    'webhooks.group_deleted',
    (ctx, { actor_id, parent_id, parent_name, ...state }) => {
      const ancestor = parentGroupOf(ctx, state.full_path)
      const full_path = state.full_path.slice(0, -state.path.length - 1)
      const parent = { id: parent_id ?? 0, name: parent_name ?? '', full_path }
      const subgroup = ancestor && subgroupEvent({ ...state, parent }, 'destroy', ancestor.id)
      recordAll(
        ctx,
        [groupSystemEvent({ ...state, id: state.group_id }, 'group_destroy'), subgroup ?? null],
        actor_id,
      )
    },
    { key, only: (event, ctx) => hasSubgroupListener(event.parent_id, ctx) },
  ),
]

type MemberEvent = Membership & { readonly actor_id: number | null }

/** True if a system hook exists, or a webhook of the group that listens to members. */
const hasMemberListener = (event: MemberEvent, ctx: Ctx): boolean =>
  hasSystemHook(event, ctx) ||
  (event.group_id !== undefined && hasListenerFor(ctx.db, 'member', { group_id: event.group_id }))

const recordMember =
  (change: MembershipChange) =>
  (ctx: Ctx, event: MemberEvent): void => {
    const { group_id, actor_id } = event
    const groupEvent = group_id === undefined ? null : memberEvent(ctx, { ...event, group_id }, change)
    recordAll(ctx, [teamEvent(ctx, event, change), groupEvent], actor_id)
  }

const members: Subscription[] = [
  on(MemberAdded, 'webhooks.member_added', recordMember('add'), { key, only: hasMemberListener }),
  on(MemberUpdated, 'webhooks.member_updated', recordMember('update'), { key, only: hasMemberListener }),
  on(MemberRemoved, 'webhooks.member_removed', recordMember('remove'), { key, only: hasMemberListener }),
]

/** The maximum number of parts of a push in the event. They contain 2,000 refs. */
const MAX_PARTS = 10

/** Records one event for all refs of a push. Collects the parts of a large push. */
const pushes: Subscription[] = together(
  [RefsUpdated],
  'webhooks.repository_updated',
  (ctx, events) => {
    const updates = events.flatMap((event) => event.payload.updates)
    const { project_id, actor_id } = events[0]!.payload
    recordAll(ctx, [repositoryUpdateEvent(ctx, { project_id, actor_id, updates })], actor_id)
  },
  {
    gather: ({ project_id, parts, updates: [first] }) =>
      parts > 1 ? `${project_id}:parts` : `${project_id}:${first?.ref}:${first?.new}`,
    // Collecting more parts would be slow, because each part copies the earlier ones.
    only: ({ part }, ctx) => part <= MAX_PARTS && hasListenerFor(ctx.db, 'repository_update', {}),
  },
)

export const subscribers: Subscription[] = [...projects, ...users, ...groups, ...members, ...pushes]
