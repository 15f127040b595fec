import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { UniqueViolation } from '../../../db/constraints.ts'
import { publish } from '../../../events/facts.ts'
import { isBranchName } from '../../../git/names.ts'
import { fail } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { ProtectedBranchesChanged } from '../events.ts'
import * as store from './store.ts'
import type { LevelKind, NewLevel, Protection } from './store.ts'

/** One entry as a caller gives it: a role, a user or a group; on change also by id, and to be dropped. */
export interface GivenLevel {
  readonly id?: number | undefined
  readonly access_level?: number | undefined
  readonly user_id?: number | undefined
  readonly group_id?: number | undefined
  readonly _destroy?: boolean | undefined
}

/** Lists of entries by what they are about. */
export type GivenLevels = Readonly<Partial<Record<LevelKind, readonly GivenLevel[]>>>

/** A protection to be made. */
export interface NewProtection {
  readonly name: string
  readonly push_access_level?: number | undefined
  readonly merge_access_level?: number | undefined
  readonly unprotect_access_level?: number | undefined
  readonly allow_force_push?: boolean | undefined
  readonly code_owner_approval_required?: boolean | undefined
  readonly levels: GivenLevels
}

/** Protections of a project whose name holds the text. */
export function findProtections(
  ctx: Ctx,
  project: Project,
  search: string | undefined,
): readonly Protection[] {
  const all = store.protectionsOf(ctx.db, project.id)
  const text = search?.toLowerCase()
  return text ? all.filter((one) => one.name.toLowerCase().includes(text)) : all
}

/** One protection by its exact name or pattern. */
export function getProtection(ctx: Ctx, project: Project, name: string): Protection {
  const found = store.byName(ctx.db, project.id, name)
  if (!found) throw fail('not_found', '404 Not found')
  return found
}

/** Protects a branch or all that a pattern matches. Throws 409 for a name that is protected, 422 for one that cannot be. */
export function protect(ctx: Ctx, project: Project, given: NewProtection): Protection {
  const { name } = given
  if (!isBranchName(name.replaceAll('*', 'x')))
    throw fail('unprocessable', ['Name is not a valid branch name or pattern'])
  const taken = fail('conflict', `Protected branch '${name}' already exists`)
  if (store.byName(ctx.db, project.id, name)) throw taken
  const levels = [
    ...newLevels('push', given.levels.push, given.push_access_level),
    ...newLevels('merge', given.levels.merge, given.merge_access_level),
    ...newLevels('unprotect', given.levels.unprotect, given.unprotect_access_level),
  ]
  try {
    return tx(ctx.db, () => {
      const row = {
        project_id: project.id,
        name,
        allow_force_push: given.allow_force_push ?? false,
        code_owner_approval_required: given.code_owner_approval_required ?? false,
        now: ctx.now,
      }
      const made = store.insert(ctx.db, row, levels.map(checked(ctx)))
      tell(ctx, project, name)
      return made
    })
  } catch (error) {
    throw error instanceof UniqueViolation ? taken : error
  }
}

const DEFAULT_LEVEL = 40

/** The entries of one kind: those of the list, and one for the single level, which is the default without a list. */
function newLevels(
  kind: LevelKind,
  list: readonly GivenLevel[] | undefined,
  single: number | undefined,
): NewLevel[] {
  const given = (list ?? []).filter((one) => !one._destroy).map((one) => levelOf(kind, one))
  if (single === undefined && given.length > 0) return given
  // Who may take a protection away is only listed where it was said; otherwise every maintainer may.
  if (single === undefined && kind === 'unprotect') return given
  return [{ kind, access_level: single ?? DEFAULT_LEVEL }, ...given]
}

function levelOf(kind: LevelKind, given: GivenLevel): NewLevel {
  const { access_level = DEFAULT_LEVEL, user_id = null, group_id = null } = given
  return { kind, access_level, user_id, group_id }
}

/** Users and groups must be there; a dangling id would be a constraint error. */
function checked(ctx: Ctx) {
  return (level: NewLevel): NewLevel => {
    const missing =
      (level.user_id != null && !store.userExists(ctx.db, level.user_id)) ||
      (level.group_id != null && !store.groupExists(ctx.db, level.group_id))
    if (missing)
      throw fail('unprocessable', ['Cannot add users or groups unless they have access to the project'])
    return level
  }
}

/** Changes a protection; entries with an id are changed or dropped, others are added. */
export function changeProtection(
  ctx: Ctx,
  project: Project,
  name: string,
  given: {
    allow_force_push?: boolean | undefined
    code_owner_approval_required?: boolean | undefined
    levels: GivenLevels
  },
): Protection {
  const found = getProtection(ctx, project, name)
  return tx(ctx.db, () => {
    store.update(ctx.db, found.id, {
      allow_force_push: given.allow_force_push ?? found.allow_force_push === 1,
      code_owner_approval_required:
        given.code_owner_approval_required ?? found.code_owner_approval_required === 1,
      now: ctx.now,
    })
    for (const kind of ['push', 'merge', 'unprotect'] as const) {
      for (const level of given.levels[kind] ?? []) changeLevel(ctx, found, kind, level)
    }
    tell(ctx, project, name)
    return getProtection(ctx, project, name)
  })
}

function changeLevel(ctx: Ctx, protection: Protection, kind: LevelKind, given: GivenLevel): void {
  if (given.id === undefined) {
    if (!given._destroy) store.insertLevel(ctx.db, protection.id, checked(ctx)(levelOf(kind, given)))
    return
  }
  const access_level = given._destroy ? null : (given.access_level ?? DEFAULT_LEVEL)
  if (!store.changeLevel(ctx.db, protection.id, { id: given.id, kind, access_level })) {
    throw fail('unprocessable', [`There is no entry with the id ${given.id}`])
  }
}

/** Takes a protection away. */
export function unprotect(ctx: Ctx, project: Project, name: string): void {
  const found = getProtection(ctx, project, name)
  tx(ctx.db, () => {
    store.remove(ctx.db, found.id)
    tell(ctx, project, name)
  })
}

function tell(ctx: Ctx, project: Project, name: string): void {
  publish(ctx, ProtectedBranchesChanged, { project_id: project.id, actor_id: ctx.actor.id, name })
}
