import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import type { UploadedFile } from '../../http/upload.ts'
import { fail, type Failure } from '../../lib/fail.ts'
import { OWNER, type Visibility } from '../../policy/levels.ts'
import { groupPlace, insertMember } from '../members/index.ts'
import { endRedirect, insertNamespace, newRegistrationToken } from '../namespaces/index.ts'
import { settingsOf } from '../settings/index.ts'
import { checkAvatar } from '../storage/index.ts'
import { keepAvatar } from './avatar.ts'
import { GroupCreated } from './events.ts'
import type { Group, GroupColumns } from './group.ts'
import { allowed, fromParent } from './inherited.ts'
import { defaultVisibility, isRestricted, mayCreate, problemsOf, type Problems } from './rules.ts'
import { groupSeen } from './scope.ts'

/** What a group is created from. */
export interface NewGroup {
  readonly name: string
  readonly path: string
  readonly parent_id?: number | undefined
  readonly avatar?: UploadedFile | null | undefined
  readonly columns: GroupColumns
}

const CREATION_LEVELS = ['noone', 'maintainer', 'developer']

/** The contract prints a hash into a sentence here (spec core 2.2). */
function failedToSave(problems: Problems): Failure {
  const fields = Object.entries(problems).map(([field, texts]) => `:${field}=>${JSON.stringify(texts)}`)
  return fail('bad_request', `Failed to save group {${fields.join(', ')}}`)
}

/**
 * Creates a group below another or at the top, owned by the actor. Throws 404 for an unreadable parent, 403 for who may
 * not, 400 with every field that cannot stand.
 */
export async function createGroup(ctx: Ctx, given: NewGroup): Promise<Group> {
  if (given.avatar) await checkAvatar(given.avatar)
  const made = tx(ctx.db, () => insertGroup(ctx, given))
  return given.avatar ? keepAvatar(ctx, made, given.avatar) : made
}

function insertGroup(ctx: Ctx, given: NewGroup): Group {
  const parent = given.parent_id === undefined ? undefined : groupSeen(ctx, given.parent_id)
  if (!mayCreate(ctx, parent)) throw fail('forbidden')
  const columns = allowed(ctx, given.columns, !parent)
  const visibility = (columns.visibility as Visibility | undefined) ?? defaultVisibility(ctx, parent)
  const problems = problemsOf(ctx, { ...given, description: columns.description, visibility }, parent)
  if (isRestricted(ctx, visibility))
    problems['visibility_level'] = [`${visibility} has been restricted by your administrator.`]
  if (Object.keys(problems).length > 0) throw failedToSave(problems)
  const settings = settingsOf(ctx)
  const made = insertNamespace(
    ctx.db,
    {
      project_creation_level: CREATION_LEVELS[settings.default_project_creation] ?? 'developer',
      default_branch_protection: settings.default_branch_protection,
      ...columns,
      ...fromParent(parent, columns),
      kind: 'group',
      name: given.name,
      path: given.path,
      visibility,
      ...newRegistrationToken(ctx).columns,
      created_at: ctx.now,
      updated_at: ctx.now,
    },
    parent,
  ) as Group
  endRedirect(ctx.db, made.full_path)
  if (ctx.actor.kind === 'user') insertMember(ctx, groupPlace(made), ctx.actor.id, { access_level: OWNER })
  publish(ctx, GroupCreated, { group_id: made.id, actor_id: ctx.actor.id, parent_id: made.parent_id })
  return made
}
