import type { HookEvent } from '../../recording/hook-event.ts'
import { systemEvent } from './event.ts'

/** A group as it is or was. */
interface Said {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly full_path: string
  readonly created_at: string
  readonly updated_at: string
}

/** The event of a group (spec administration 3.10). */
export function groupLifeEvent(
  group: Said,
  event: 'group_create' | 'group_destroy' | 'group_rename',
  more: Readonly<Record<string, unknown>> = {},
): HookEvent {
  const { id: group_id, name, path, full_path } = group
  return systemEvent(event, group, { name, path, full_path, group_id, ...more })
}
