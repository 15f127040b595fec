import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { UniqueViolation } from '../../../db/constraints.ts'
import { publish } from '../../../events/publish.ts'
import { isBranchName } from '../../../git/names.ts'
import { fail } from '../../../lib/fail.ts'
import { DEVELOPER } from '../../../policy/levels.ts'
import {
  protections as store,
  type LevelKind,
  type Project,
  type Protection,
  type ProtectionEntry as Entry,
} from '../../projects/index.ts'
import { ProtectedBranchesChanged } from '../events.ts'
import {
  changeOf,
  checkAccess,
  checkDistinct,
  DEFAULT_LEVEL,
  entryOf,
  roleEntry,
  type EntryInput,
} from './entries.ts'
import { pusherOf, allowsUnprotect } from './rules.ts'

/** The lists of entries by their kind. */
export type LevelsInput = Readonly<Partial<Record<LevelKind, readonly EntryInput[] | undefined>>>

/** A protection to create. */
export interface NewProtection {
  readonly name: string
  readonly push_access_level?: number | undefined
  readonly merge_access_level?: number | undefined
  readonly unprotect_access_level?: number | undefined
  readonly allow_force_push?: boolean | undefined
  readonly code_owner_approval_required?: boolean | undefined
  readonly levels: LevelsInput
}

const KINDS = ['push', 'merge', 'unprotect'] as const

/** The parameter with the list of a kind. */
const listOf = (kind: LevelKind) => `allowed_to_${kind}`

/** The name of a kind in error messages. */
const titleOf = (kind: LevelKind) => `${kind[0]!.toUpperCase()}${kind.slice(1)} access levels`

/** Lists the protections of a project. With `search`, only those with this text in the name. */
export function findProtections(
  ctx: Ctx,
  project: Project,
  search: string | undefined,
): readonly Protection[] {
  const all = store.protectionsOf(ctx.db, project.id)
  const text = search?.toLowerCase()
  return text ? all.filter((protection) => protection.name.toLowerCase().includes(text)) : all
}

/** Returns one protection by its exact name or pattern. */
export function getProtection(ctx: Ctx, project: Project, name: string): Protection {
  const row = store.byName(ctx.db, project.id, name)
  if (!row) throw fail('not_found', '404 Not found')
  return row
}

/** Protects a branch or a pattern. Throws 409 for a name that is already protected, 422 for an invalid name. */
export function protect(ctx: Ctx, project: Project, input: NewProtection): Protection {
  const { name } = input
  if (!isBranchName(name.replaceAll('*', 'x')))
    throw fail('unprocessable', ['Name is not a valid branch name or pattern'])
  const failure = fail('conflict', `Protected branch '${name}' already exists`)
  if (store.byName(ctx.db, project.id, name)) throw failure
  const levels = KINDS.flatMap((kind) =>
    newEntries(kind, input.levels[kind], input[`${kind}_access_level`]).map((entry) => ({ ...entry, kind })),
  )
  for (const entry of levels) checkAccess(ctx, project, entry)
  try {
    return tx(ctx.db, () => {
      const row = {
        project_id: project.id,
        name,
        allow_force_push: input.allow_force_push ?? false,
        code_owner_approval_required: input.code_owner_approval_required ?? false,
        now: ctx.now,
      }
      const created = store.insert(ctx.db, row, levels)
      publishChange(ctx, project, name, 'protected')
      return created
    })
  } catch (error) {
    throw error instanceof UniqueViolation ? failure : error
  }
}

/**
 * Returns the entries of one kind: those of the list, and one for the single level. Without both, there is one entry for
 * the default level.
 */
function newEntries(
  kind: LevelKind,
  list: readonly EntryInput[] | undefined,
  single: number | undefined,
): Entry[] {
  const entries = (list ?? []).filter((entry) => !entry._destroy).map((entry) => entryOf(listOf(kind), entry))
  const isDefault = single === undefined && entries.length > 0
  const all = isDefault ? entries : [roleEntry(single ?? DEFAULT_LEVEL), ...entries]
  checkDistinct(titleOf(kind), all)
  return all
}

/** Updates a protection: entries with an id are changed or deleted, others are added. */
export function changeProtection(
  ctx: Ctx,
  project: Project,
  name: string,
  changes: {
    allow_force_push?: boolean | undefined
    code_owner_approval_required?: boolean | undefined
    levels: LevelsInput
  },
): Protection {
  const protection = getProtection(ctx, project, name)
  checkMayUnprotect(ctx, project, protection)
  return tx(ctx.db, () => {
    store.update(ctx.db, protection.id, {
      allow_force_push: changes.allow_force_push ?? protection.allow_force_push,
      code_owner_approval_required:
        changes.code_owner_approval_required ?? protection.code_owner_approval_required,
      now: ctx.now,
    })
    for (const kind of KINDS)
      changeLevels(ctx, project, protection, { kind, entries: changes.levels[kind] ?? [] })
    const changed = getProtection(ctx, project, name)
    for (const kind of KINDS)
      checkDistinct(
        titleOf(kind),
        changed.levels.filter((level) => level.kind === kind),
      )
    publishChange(ctx, project, name, 'changed')
    return changed
  })
}

function changeLevels(
  ctx: Ctx,
  project: Project,
  protection: Protection,
  { kind, entries }: { kind: LevelKind; entries: readonly EntryInput[] },
): void {
  const current = protection.levels.filter((level) => level.kind === kind)
  const { added, changed, removed } = changeOf(listOf(kind), current, entries)
  for (const entry of [...added, ...changed.map((change) => change.entry)]) checkAccess(ctx, project, entry)
  for (const id of removed) store.removeLevel(ctx.db, id)
  for (const { id, entry } of changed) store.updateLevel(ctx.db, id, entry)
  for (const entry of added) store.insertLevel(ctx.db, protection.id, { ...entry, kind })
}

/** Throws 403 if the actor may not remove a protection. Then they may not change it either. */
function checkMayUnprotect(ctx: Ctx, project: Project, protection: Protection): void {
  if (!allowsUnprotect(protection, pusherOf(ctx, project))) throw fail('forbidden')
}

/** Removes a protection. */
export function unprotect(ctx: Ctx, project: Project, name: string): void {
  const protection = getProtection(ctx, project, name)
  checkMayUnprotect(ctx, project, protection)
  tx(ctx.db, () => {
    store.remove(ctx.db, protection.id)
    publishChange(ctx, project, name, 'unprotected')
  })
}

/** The parameters of the deprecated API. An absent parameter changes nothing. */
export interface SimpleProtection {
  readonly developers_can_push?: boolean | undefined
  readonly developers_can_merge?: boolean | undefined
}

/** Protects a branch, or changes its protection (spec core 4.3, the deprecated API). */
export function protectByFlags(ctx: Ctx, project: Project, name: string, input: SimpleProtection): void {
  const levelOf = (isAllowed: boolean | undefined) =>
    isAllowed === undefined ? undefined : isAllowed ? DEVELOPER : DEFAULT_LEVEL
  const levels = { push: levelOf(input.developers_can_push), merge: levelOf(input.developers_can_merge) }
  const row = store.byName(ctx.db, project.id, name)
  if (!row) {
    protect(ctx, project, {
      name,
      levels: {},
      push_access_level: levels.push,
      merge_access_level: levels.merge,
    })
    return
  }
  checkMayUnprotect(ctx, project, row)
  tx(ctx.db, () => {
    for (const kind of ['push', 'merge'] as const) {
      const access_level = levels[kind]
      if (access_level === undefined) continue
      store.removeLevels(ctx.db, row.id, kind)
      store.insertLevel(ctx.db, row.id, { ...roleEntry(access_level), kind })
    }
    publishChange(ctx, project, name, 'changed')
  })
}

/** Removes the protection with exactly this branch name, if there is one. */
export function unprotectByName(ctx: Ctx, project: Project, name: string): void {
  if (store.byName(ctx.db, project.id, name)) unprotect(ctx, project, name)
}

function publishChange(
  ctx: Ctx,
  project: Project,
  name: string,
  action: 'protected' | 'changed' | 'unprotected',
): void {
  publish(ctx, ProtectedBranchesChanged, { project_id: project.id, actor_id: ctx.actor.id, name, action })
}
