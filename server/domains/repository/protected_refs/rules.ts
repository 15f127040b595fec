import { ADMIN, DEVELOPER, NO_ACCESS, GUEST } from '../../../policy/levels.ts'
import {
  type ProtectionEntry as Entry,
  type LevelKind,
  type Protection,
  project as scope,
  type Project,
} from '../../projects/index.ts'
import type { Ctx } from '../../../ctx.ts'
import type { Actor } from '../../../policy/actor.ts'
import { roleOnNamespace } from '../../members/index.ts'
import { namespaceById } from '../../namespaces/index.ts'

/** Returns true if the pattern of a protection matches the branch or tag. `*` matches any characters. */
export function covers(pattern: string, name: string): boolean {
  const literals = pattern.split('*')
  if (literals.length === 1) return pattern === name
  const [head, tail] = [literals[0]!, literals.at(-1)!]
  if (!name.startsWith(head) || !name.endsWith(tail) || name.length < head.length + tail.length) return false
  // The literal parts are searched in order, so that matching takes linear time.
  let end = head.length
  for (const literal of literals.slice(1, -1)) {
    const index = name.indexOf(literal, end)
    if (index < 0) return false
    end = index + literal.length
  }
  return end <= name.length - tail.length
}

/** Returns the protections of a branch or tag: those with its name or a matching pattern. */
export function protecting<P extends { readonly name: string }>(
  protections: readonly P[],
  name: string,
): P[] {
  return protections.filter((protection) => covers(protection.name, name))
}

/**
 * Returns whether an entry admits the pusher (spec core 4.4). Entries for users and groups admit only those with at least
 * developer access. All entries except "no one" and those for deploy keys admit administrators. A deploy key is admitted
 * only by an entry for it.
 */
export function admits(entry: Entry, pusher: Pusher): boolean {
  const { actor, role } = pusher
  const key = deployKeyOf(actor)
  if (entry.deploy_key_id !== null) return key === entry.deploy_key_id
  if (key !== undefined) return false
  const isRole = entry.user_id === null && entry.group_id === null
  if (isRole && entry.access_level === NO_ACCESS) return false
  if (actor.is_admin) return true
  if (role < DEVELOPER) return false
  if (entry.user_id !== null) return actor.kind === 'user' && actor.id === entry.user_id
  if (entry.group_id !== null) return pusher.isMemberOf(entry.group_id)
  return entry.access_level !== ADMIN && role >= entry.access_level
}

/** Returns whether the pusher may change unprotected refs. */
export function allowsUnprotected({ actor, role }: Pusher): boolean {
  return actor.is_admin || role >= DEVELOPER || deployKeyOf(actor) !== undefined
}

/**
 * Returns whether a pusher of the project may push to a branch with these protections. If several match, the most
 * permissive one counts.
 */
export function allows(matching: readonly Protection[], kind: LevelKind, pusher: Pusher): boolean {
  if (matching.length === 0) return allowsUnprotected(pusher)
  return matching.some((protection) =>
    protection.levels.some((level) => level.kind === kind && admits(level, pusher)),
  )
}

/** Returns whether all developers may push or merge. Lists of branches contain this. */
export function allowsDevelopers(matching: readonly Protection[], kind: LevelKind): boolean {
  return matching.some((protection) =>
    protection.levels.some(
      (level) =>
        level.kind === kind &&
        level.access_level === DEVELOPER &&
        level.user_id === null &&
        level.group_id === null &&
        level.deploy_key_id === null,
    ),
  )
}

/** Returns whether force push is allowed. */
export function allowsForce(matching: readonly Protection[]): boolean {
  return matching.length === 0 || matching.some((protection) => protection.allow_force_push)
}

/** Returns whether files with code owners may be changed only by merge request. */
export function needsCodeOwners(matching: readonly Protection[]): boolean {
  return matching.some((protection) => protection.code_owner_approval_required)
}

/** Returns whether a user who may manage protections may remove this one. Without entries, every such user may. */
export function allowsUnprotect(protection: Protection, pusher: Pusher): boolean {
  const entries = protection.levels.filter((level) => level.kind === 'unprotect')
  return entries.length === 0 || entries.some((entry) => admits(entry, pusher))
}

/** The actor of a request, with the data that protections check. */
export interface Pusher {
  readonly actor: Actor
  /** The access level on the project. */
  readonly role: number
  /** Returns whether the user belongs to a group, also through a parent group or a share. */
  isMemberOf(groupId: number): boolean
}

/** Returns the actor of the context, with the data that the protections of a project check. */
export function pusherOf(ctx: Ctx, project: Project): Pusher {
  return {
    actor: ctx.actor,
    role: scope.roleOf(ctx, project),
    isMemberOf(groupId) {
      const group = namespaceById(ctx.db, groupId)
      return group !== undefined && roleOnNamespace(ctx, group) >= GUEST
    },
  }
}

/** Returns the id of the actor's deploy key; undefined for all other actors. */
export function deployKeyOf(actor: Actor): number | undefined {
  return actor.kind === 'deploy_key' ? actor.key_id : undefined
}
