import type { Ctx } from '../../../ctx.ts'
import { namespaceByPath } from '../../namespaces/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { timestamps } from './blocks.ts'

/** A subgroup, existing or deleted. */
export interface Subgroup {
  readonly group_id: number
  readonly name: string
  readonly path: string
  readonly full_path: string
  readonly created_at: string
  readonly updated_at: string
  readonly parent: { readonly id: number; readonly name: string; readonly full_path: string }
}

/**
 * Makes the event of a created or deleted subgroup (spec administration 3.9) for webhooks of the group `listenerId`:
 * the parent, or the nearest ancestor that still exists.
 */
export function subgroupEvent(
  { group_id, name, path, full_path, parent, ...times }: Subgroup,
  verb: 'create' | 'destroy',
  listenerId: number,
): HookEvent {
  const payload = {
    ...timestamps(times),
    event_name: `subgroup_${verb}`,
    name,
    path,
    full_path,
    group_id,
    parent_group_id: parent.id,
    parent_name: parent.name,
    parent_path: parent.full_path.split('/').at(-1),
    parent_full_path: parent.full_path,
  }
  return { kind: 'subgroup', group_id: listenerId, payload }
}

/** Returns the nearest existing ancestor of a deleted group. */
export function parentGroupOf(ctx: Pick<Ctx, 'db'>, path: string): { readonly id: number } | undefined {
  const end = path.lastIndexOf('/')
  if (end < 0) return undefined
  const parentPath = path.slice(0, end)
  const namespace = namespaceByPath(ctx.db, parentPath)
  return namespace?.kind === 'group' ? namespace : parentGroupOf(ctx, parentPath)
}

/** The group's fields in events about its members and tokens. */
export function groupNames(group: { readonly id: number; readonly name: string; readonly path: string }) {
  return { group_name: group.name, group_path: group.path, group_id: group.id }
}
