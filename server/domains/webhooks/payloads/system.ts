import type { Ctx } from '../../../ctx.ts'
import { isoDate } from '../../../lib/clock.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { fullPath, type Project, projectById } from '../../projects/index.ts'
import { type SshKeyRow, userById, type UserRow } from '../../users/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { publicEmail, timestamps } from './blocks.ts'
import * as store from './store.ts'

/** The columns of a project in its event, also if the project is deleted. */
type ProjectState = Pick<
  Project,
  'id' | 'name' | 'path' | 'visibility' | 'namespace_id' | 'owner_id' | 'created_at' | 'updated_at'
> & { readonly namespace_name: string; readonly full_path: string }

/** Makes the event of an existing project (spec administration 3.10). Null if it is deleted. */
export function projectSystemEvent(
  ctx: Ctx,
  id: number,
  name: string,
  extraFields: Readonly<Record<string, unknown>> = {},
): HookEvent | null {
  const project = projectById(ctx.db, id)
  return project
    ? projectSystemEventOf(ctx, { ...project, full_path: fullPath(project) }, name, extraFields)
    : null
}

/** Makes the event of a project, existing or deleted. */
export function projectSystemEventOf(
  ctx: Ctx,
  project: ProjectState,
  name: string,
  extraFields: Readonly<Record<string, unknown>> = {},
): HookEvent {
  return systemEvent(name, project, {
    name: project.name,
    path: project.path,
    path_with_namespace: project.full_path,
    project_id: project.id,
    ...ownersOf(ctx, project),
    project_visibility: project.visibility,
    ...extraFields,
  })
}

/** The namespace as owner (a group has no email address), and the users who own the project. */
function ownersOf(ctx: Ctx, { id, namespace_id, owner_id, namespace_name }: ProjectState) {
  const owner = owner_id === null ? undefined : userById(ctx.db, owner_id)
  const lineage = namespaceById(ctx.db, namespace_id)?.lineage ?? '[]'
  const owners = owner
    ? [owner]
    : store.projectOwners(
        ctx.db,
        { project_id: id, lineage: owner_id === null ? lineage : '[]' },
        isoDate(ctx.now),
      )
  return {
    owner_name: namespace_name,
    owner_email: owner ? publicEmail(owner) : '',
    owners: owners.map((entry) => ({ name: entry.name, email: publicEmail(entry) })),
  }
}

/** A group, existing or deleted. */
interface GroupState {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly full_path: string
  readonly created_at: string
  readonly updated_at: string
}

/** Makes the event of a group (spec administration 3.10). */
export function groupSystemEvent(
  group: GroupState,
  event: 'group_create' | 'group_destroy' | 'group_rename',
  extraFields: Readonly<Record<string, unknown>> = {},
): HookEvent {
  const { id: group_id, name, path, full_path } = group
  return systemEvent(event, group, { name, path, full_path, group_id, ...extraFields })
}

type UserState = Pick<UserRow, 'id' | 'name' | 'username' | 'public_email' | 'created_at' | 'updated_at'>

/** Makes the event of an existing user (spec administration 3.10). Null if the user is deleted. */
export function userSystemEvent(
  ctx: Ctx,
  id: number,
  name: string,
  extraFields: Readonly<Record<string, unknown>> = {},
): HookEvent | null {
  const user = userById(ctx.db, id)
  return user ? userSystemEventOf(user, name, extraFields) : null
}

/** Makes the event of a user, existing or deleted. */
export function userSystemEventOf(
  user: UserState,
  name: string,
  extraFields: Readonly<Record<string, unknown>> = {},
): HookEvent {
  return systemEvent(name, user, {
    name: user.name,
    email: publicEmail(user),
    user_id: user.id,
    username: user.username,
    ...extraFields,
  })
}

/** Makes the event of an SSH key, existing or deleted (spec administration 3.10). Null if its owner is deleted. */
export function keySystemEvent(
  ctx: Pick<Ctx, 'db'>,
  key: Pick<SshKeyRow, 'id' | 'key' | 'created_at' | 'updated_at'> & { readonly user_id: number | null },
  name: 'key_create' | 'key_destroy',
): HookEvent | null {
  const user = userById(ctx.db, key.user_id ?? 0)
  return user ? systemEvent(name, key, { username: user.username, key: key.key, id: key.id }) : null
}

/** Makes an event for every system hook (spec administration 3.10). `subject` has the times of the object. */
export function systemEvent(
  event_name: string,
  subject: { readonly created_at: string; readonly updated_at: string },
  fields: Readonly<Record<string, unknown>>,
): HookEvent {
  return { kind: 'system', payload: { event_name, ...timestamps(subject), ...fields } }
}
