import { ADMIN, DEVELOPER, NO_ACCESS } from '../../../policy/levels.ts'
import { deployKeyOf, type Pusher } from './pusher.ts'
import type { Entry } from './entries.ts'
import type { LevelKind, Protection } from './store.ts'

/** True when the pattern of a protection covers the branch or tag; `*` stands for any characters. */
export function covers(pattern: string, name: string): boolean {
  const pieces = pattern.split('*')
  if (pieces.length === 1) return pattern === name
  const [head, tail] = [pieces[0]!, pieces.at(-1)!]
  if (!name.startsWith(head) || !name.endsWith(tail) || name.length < head.length + tail.length) return false
  // Plain pieces in order, so that no pattern can take long.
  let at = head.length
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= name.length - tail.length
}

/** The protections that hold for a branch or tag: the exact one and every pattern that covers it. */
export function protecting<P extends { readonly name: string }>(
  protections: readonly P[],
  name: string,
): P[] {
  return protections.filter((one) => covers(one.name, name))
}

/**
 * Whether one entry lets somebody pass (spec core 4.4). Users and members of a group need a developer's level all the
 * same; administrators pass everything but "no one"; a deploy key passes only where it is named itself.
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

/** Whether somebody may change what no protection holds. */
export function allowsUnprotected({ actor, role }: Pusher): boolean {
  return actor.is_admin || role >= DEVELOPER || deployKeyOf(actor) !== undefined
}

/**
 * Whether somebody who may push to the project may do so to a branch, given the protections that hold for it. Where
 * several hold, the most permissive one counts.
 */
export function allows(holding: readonly Protection[], kind: LevelKind, pusher: Pusher): boolean {
  if (holding.length === 0) return allowsUnprotected(pusher)
  return holding.some((one) => one.levels.some((level) => level.kind === kind && admits(level, pusher)))
}

/** Whether developers in general may, which branch lists show. */
export function allowsDevelopers(holding: readonly Protection[], kind: LevelKind): boolean {
  return holding.some((one) =>
    one.levels.some(
      (level) =>
        level.kind === kind &&
        level.access_level === DEVELOPER &&
        level.user_id === null &&
        level.group_id === null &&
        level.deploy_key_id === null,
    ),
  )
}

/** Whether history may be rewritten there. */
export function allowsForce(holding: readonly Protection[]): boolean {
  return holding.length === 0 || holding.some((one) => one.allow_force_push)
}

/** Whether changes of files with owners have to come by merge request. */
export function needsCodeOwners(holding: readonly Protection[]): boolean {
  return holding.some((one) => one.code_owner_approval_required)
}

/** Whether somebody who manages protections may take this one away; everybody of them where nobody is named. */
export function allowsUnprotect(protection: Protection, pusher: Pusher): boolean {
  const entries = protection.levels.filter((level) => level.kind === 'unprotect')
  return entries.length === 0 || entries.some((entry) => admits(entry, pusher))
}
