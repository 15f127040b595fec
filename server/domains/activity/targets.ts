import type { Ctx } from '../../ctx.ts'
import { jsonList } from '../../db/database.ts'
import type { NoteView } from '../discussions/index.ts'
import type { EventRow } from './event-row.ts'

/** What is shown of an issue or merge request that an event is about, as it is called today. */
export interface Thing {
  readonly iid: number
  readonly title: string
}

/** Names a thing in the map of `thingsOf`. */
export function keyOf(type: string | null, id: number | null): string {
  return `${type}:${id}`
}

/** True for events about a note. */
export function isNote(row: EventRow): boolean {
  return row.action === 'commented' && row.target_id !== null
}

const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests' } as const

/** Issues and merge requests of some events and notes, with one query for each kind. */
export function thingsOf(
  ctx: Ctx,
  rows: readonly EventRow[],
  notes: ReadonlyMap<number, NoteView>,
): Map<string, Thing> {
  const found = new Map<string, Thing>()
  for (const type of ['Issue', 'MergeRequest'] as const) {
    const ids = [
      ...rows.filter((row) => row.target_type === type).map((row) => row.target_id),
      ...[...notes.values()].filter((note) => note.noteable_type === type).map((note) => note.noteable_id),
    ].filter((id) => id !== null)
    const things = ctx.db.many<Thing & { id: number }>(
      `SELECT id, iid, title FROM ${TABLES[type]} WHERE id IN (SELECT value FROM json_each(?))`,
      jsonList(ids),
    )
    for (const { id, iid, title } of things) found.set(keyOf(type, id), { iid, title })
  }
  return found
}
