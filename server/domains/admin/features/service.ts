import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { findGroup } from '../../groups/index.ts'
import { namespaceByPath } from '../../namespaces/index.ts'
import { findProject } from '../../projects/index.ts'
import { userByUsername } from '../../users/index.ts'
import { FeatureChanged } from '../events.ts'
import { changedGates, CLOSED_GATES, stateOf } from './gates.ts'
import * as store from './store.ts'
import type { FeatureRow } from './store.ts'

/** The targets of a feature: user names and full paths, separated by commas. */
export interface FeatureTargets {
  readonly user?: string | undefined
  readonly group?: string | undefined
  readonly namespace?: string | undefined
  readonly project?: string | undefined
  readonly repository?: string | undefined
}

/** A new value of a feature. */
export interface FeatureChange extends FeatureTargets {
  readonly name: string
  readonly value: string
  readonly key?: 'percentage_of_actors' | 'percentage_of_time' | undefined
  readonly feature_group?: string | undefined
}

const badRequest = (text: string) => fail('bad_request', `400 Bad request - ${text}`)

/** Sets a feature. Throws 400 for invalid values and unknown targets. */
export function setFeature(ctx: Ctx, change: FeatureChange): FeatureRow {
  const { name, key = 'percentage_of_time' } = change
  // Some clients send an empty text for each parameter that they do not use.
  const group = change.feature_group?.trim() || undefined
  const actors = actorsOf(ctx, change)
  return tx(ctx.db, () => {
    const gates = store.byName(ctx.db, name)?.gates ?? CLOSED_GATES
    const value = valueOf(change.value)
    const row = { name, gates: changedGates(gates, { value, by: key, group, actors }) }
    store.store(ctx.db, row, ctx.now)
    publish(ctx, FeatureChanged, { name, state: stateOf(row.gates), actor_id: ctx.actor.id })
    return row
  })
}

function valueOf(text: string): boolean | number {
  if (text === 'true') return true
  if (text === 'false' || text === '0') return false
  if (!/^-?\d{1,9}(\.\d{1,9})?$/.test(text)) throw badRequest('value is invalid')
  const percentage = Number(text)
  if (percentage < 0 || percentage > 100)
    throw badRequest(`Percentage must be a positive number less than or equal to 100, but was ${text}`)
  return percentage
}

/** Returns the ids of the actors in a request, such as `User:1`. Throws 400 for an unknown name. */
function actorsOf(ctx: Ctx, targets: FeatureTargets): string[] {
  const kinds: Record<keyof FeatureTargets, (name: string) => string | undefined> = {
    user: (name) => actorId('User', userByUsername(ctx.db, name)),
    group: (name) => actorId('Group', findGroup(ctx, name)),
    namespace: (name) => actorId('Namespace', namespaceByPath(ctx.db, name)),
    project: (name) => actorId('Project', findProject(ctx, name)),
    repository: (name) => actorId('Repository:project', findProject(ctx, name)),
  }
  return (Object.keys(kinds) as (keyof FeatureTargets)[]).flatMap((kind) =>
    (targets[kind] ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => {
        const actor = kinds[kind](name)
        if (actor === undefined) throw badRequest(`${name} is not found!`)
        return actor
      }),
  )
}

function actorId(kind: string, row: { id: number } | undefined): string | undefined {
  return row && `${kind}:${row.id}`
}

/** Deletes a feature, which resets it to its default. */
export function deleteFeature(ctx: Ctx, name: string): void {
  tx(ctx.db, () => {
    if (store.remove(ctx.db, name))
      publish(ctx, FeatureChanged, { name, state: 'default', actor_id: ctx.actor.id })
  })
}
