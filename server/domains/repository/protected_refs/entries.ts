import type { Ctx } from '../../../ctx.ts'
import { isoDate } from '../../../lib/clock.ts'
import { fail } from '../../../lib/fail.ts'
import { MAINTAINER, NO_ACCESS } from '../../../policy/levels.ts'
import { roleOnProject } from '../../members/index.ts'
import type { Project, ProtectionEntry as Entry } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import * as store from '../store.ts'

/** One entry in a request. In an update it may have an id, and a flag to delete it. */
export interface EntryInput {
  readonly id?: number | undefined
  readonly access_level?: number | undefined
  readonly user_id?: number | undefined
  readonly group_id?: number | undefined
  readonly deploy_key_id?: number | undefined
  readonly _destroy?: boolean | undefined
}

/** The access level of entries for a user, group or key, and the default level of protections. */
export const DEFAULT_LEVEL = MAINTAINER

/** Converts an entry of a request. Throws 400 unless it has exactly one of level, user, group and key. */
export function entryOf(list: string, input: EntryInput): Entry {
  const names = (['access_level', 'user_id', 'group_id', 'deploy_key_id'] as const).map((name) => [
    name,
    input[name],
  ])
  const fields = names.filter(([, value]) => value !== undefined).map(([name]) => `${list}[${name}]`)
  if (fields.length === 0) {
    const all = names.map(([name]) => `${list}[${name}]`).join(', ')
    throw fail('parameter', `${all} are missing, at least one parameter must be provided`)
  }
  if (fields.length > 1) throw fail('parameter', `${fields.join(', ')} are mutually exclusive`)
  return {
    access_level: input.access_level ?? DEFAULT_LEVEL,
    user_id: input.user_id ?? null,
    group_id: input.group_id ?? null,
    deploy_key_id: input.deploy_key_id ?? null,
  }
}

/** Returns the entry of a role. */
export function roleEntry(access_level: number): Entry {
  return { access_level, user_id: null, group_id: null, deploy_key_id: null }
}

const NO_ACCESS_TO_PROJECT = 'Cannot add users or groups unless they have access to the project'

/** Throws 422 for users who are not members, groups without a share, and keys that may not push. */
export function checkAccess(ctx: Ctx, project: Project, entry: Entry): void {
  const { user_id, group_id, deploy_key_id } = entry
  if (user_id !== null && !isMember(ctx, project, user_id)) {
    throw fail('unprocessable', [NO_ACCESS_TO_PROJECT])
  }
  if (group_id !== null && !store.groupHasAccess(ctx.db, project, group_id, isoDate(ctx.now))) {
    throw fail('unprocessable', [NO_ACCESS_TO_PROJECT])
  }
  if (deploy_key_id !== null && !store.keyMayPush(ctx.db, project.id, deploy_key_id)) {
    throw fail('unprocessable', ['Deploy key is not enabled for this project with write access'])
  }
}

/** Returns whether a user has any access level on a project. */
export function isMember(ctx: Ctx, project: Project, userId: number): boolean {
  const user = userById(ctx.db, userId)
  if (!user) return false
  const actor = {
    kind: 'user',
    id: user.id,
    username: user.username,
    name: user.name,
    email: user.email,
    is_admin: user.is_admin,
    external: user.external,
    scopes: null,
    via: 'system',
  } as const
  return roleOnProject({ ...ctx, actor }, project) > NO_ACCESS
}

/** Throws 422 if one list contains the same entry twice. */
export function checkDistinct(title: string, entries: readonly Entry[]): void {
  const seen = new Set<string>()
  for (const entry of entries) {
    const [kind, id] = subjectOf(entry)
    const key = `${kind} ${id}`
    if (seen.has(key)) throw fail('unprocessable', [`${title} ${kind} has already been taken`])
    seen.add(key)
  }
}

/** Returns the kind and the id of the user, group, key or level of an entry. */
function subjectOf(entry: Entry): [string, number] {
  if (entry.user_id !== null) return ['user', entry.user_id]
  if (entry.group_id !== null) return ['group', entry.group_id]
  if (entry.deploy_key_id !== null) return ['deploy key', entry.deploy_key_id]
  return ['access level', entry.access_level]
}

/** The changes of a list of entries. */
export interface EntryChange {
  readonly added: readonly Entry[]
  readonly changed: readonly { readonly id: number; readonly entry: Entry }[]
  readonly removed: readonly number[]
}

/** Parses the requested changes of a list of entries. Throws 422 for ids that are not in it. */
export function changeOf(
  list: string,
  current: readonly (Entry & { readonly id: number })[],
  entries: readonly EntryInput[],
): EntryChange {
  const ids = new Set(current.map((entry) => entry.id))
  const unknown = entries.find((entry) => entry.id !== undefined && !ids.has(entry.id))
  if (unknown) throw fail('unprocessable', [`There is no entry with the id ${unknown.id}`])
  return {
    added: entries
      .filter((entry) => entry.id === undefined && !entry._destroy)
      .map((entry) => entryOf(list, entry)),
    changed: entries
      .filter((entry) => entry.id !== undefined && !entry._destroy)
      .map((entry) => ({ id: entry.id!, entry: entryOf(list, entry) })),
    removed: entries.filter((entry) => entry.id !== undefined && entry._destroy).map((entry) => entry.id!),
  }
}
