import type { Ctx } from '../../../../ctx.ts'
import { Failure } from '../../../../lib/fail.ts'
import { chooseIid, recordIid } from '../../../planning/index.ts'
import type { ApplyRun } from './apply-run.ts'

/** An issue or merge request of a world. */
interface Entry {
  readonly iid?: number | undefined
  readonly title: string
}

/** An issue or merge request of the instance. */
interface Row {
  readonly iid: number
  readonly title: string
}

/**
 * The existing records of the entries of a world: an entry with an IID has the record with this IID, another one the
 * record with its title that no other entry has.
 */
export function recordsOf<E extends Entry, R extends Row>(
  entries: readonly E[],
  rows: readonly R[],
): Map<E, R> {
  const byIid = new Map(rows.map((row) => [row.iid, row]))
  const chosen = new Set(entries.map(({ iid }) => iid))
  const byTitle = new Map(rows.filter(({ iid }) => !chosen.has(iid)).map((row) => [row.title, row]))
  const records = new Map<E, R>()
  for (const entry of entries) {
    const row = entry.iid === undefined ? byTitle.get(entry.title.trim()) : byIid.get(entry.iid)
    if (row) records.set(entry, row)
  }
  return records
}

/** Throws 409 if the record with the IID of an entry is another one. */
export function checkSameTitle({ title }: Entry, row: Row): void {
  if (row.title !== title.trim())
    throw new Failure('conflict', `the title of the existing one with the iid ${row.iid} is "${row.title}"`)
}

/** The context in which the record of an entry is created, so that it gets the IID of the entry. */
export function withIidOf({ iid }: Entry, ctx: Ctx): Ctx {
  if (iid !== undefined) chooseIid(ctx, iid)
  return ctx
}

/** Keeps the IIDs of entries free: entries without an IID get the numbers after the largest one. */
export function keepIidsFree(
  run: ApplyRun,
  project_id: number,
  usage: 'issues' | 'merge_requests',
  entries: readonly Entry[],
): void {
  const largest = entries.reduce((max, { iid = 0 }) => Math.max(max, iid), 0)
  if (largest > 0 && entries.some(({ iid }) => iid === undefined))
    recordIid(run.ctx.db, { project_id }, usage, largest)
}
