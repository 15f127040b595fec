import type { Actor } from '../../../policy/actor.ts'
import { ADMIN, DEVELOPER, NO_ACCESS } from '../../../policy/levels.ts'
import type { LevelKind, LevelRow, Protection } from './store.ts'

/** Who asks, as protections see it. */
export interface Pusher {
  readonly actor: Actor
  /** Level on the project. */
  readonly role: number
}

/** True when the pattern of a protection covers the branch; `*` stands for any characters. */
export function covers(pattern: string, branch: string): boolean {
  const pieces = pattern.split('*')
  if (pieces.length === 1) return pattern === branch
  const [head, tail] = [pieces[0]!, pieces.at(-1)!]
  if (!branch.startsWith(head) || !branch.endsWith(tail) || branch.length < head.length + tail.length)
    return false
  // Plain pieces in order, so that no pattern can take long.
  let at = head.length
  for (const piece of pieces.slice(1, -1)) {
    const found = branch.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= branch.length - tail.length
}

/** The protections that hold for a branch. */
export function protecting(protections: readonly Protection[], branch: string): Protection[] {
  return protections.filter((one) => covers(one.name, branch))
}

function admits(level: LevelRow, pusher: Pusher): boolean {
  const { actor, role } = pusher
  if (level.user_id !== null) return actor.kind === 'user' && actor.id === level.user_id && role >= DEVELOPER
  if (level.group_id !== null) return actor.is_admin
  if (level.access_level === NO_ACCESS) return false
  if (actor.is_admin) return true
  return level.access_level !== ADMIN && role >= level.access_level
}

/** Whether somebody who may push to the project may do so to a branch, given the protections that hold for it. */
export function allows(holding: readonly Protection[], kind: LevelKind, pusher: Pusher): boolean {
  if (holding.length === 0) return pusher.actor.is_admin || pusher.role >= DEVELOPER
  return holding.some((one) => one.levels.some((level) => level.kind === kind && admits(level, pusher)))
}

/** Whether developers in general may, which branch lists show. */
export function allowsDevelopers(holding: readonly Protection[], kind: LevelKind): boolean {
  return holding.some((one) =>
    one.levels.some(
      (level) => level.kind === kind && level.access_level === DEVELOPER && level.user_id === null,
    ),
  )
}

/** Whether history may be rewritten there. */
export function allowsForce(holding: readonly Protection[]): boolean {
  return holding.length === 0 || holding.some((one) => one.allow_force_push === 1)
}
