import { checkAlive, keepCursor, tell, type Work } from '../work.ts'

/** An issue or merge request that was imported. */
export interface Thing {
  readonly kind: 'Issue' | 'MergeRequest'
  readonly iid: number
}

const SELECT = {
  MergeRequest: `SELECT r.iid FROM merge_requests r JOIN import_marks m
    ON m.project_id = r.project_id AND m.kind = 'merge_request' AND m.source_key = CAST(r.iid AS TEXT)`,
  Issue: `SELECT r.iid FROM issues r JOIN import_marks m
    ON m.project_id = r.project_id AND m.kind = 'issue' AND m.source_key = CAST(r.iid AS TEXT)`,
}

/**
 * Calls back for everything of some kinds that was imported, in the order of its numbers, and goes on where it was cut off.
 * `where` narrows them (`r` is the row).
 */
export async function eachThing(
  work: Work,
  kinds: readonly Thing['kind'][],
  each: (thing: Thing) => Promise<void>,
  where = 'true',
): Promise<void> {
  const { db } = work.ctx
  const count = (kind: Thing['kind']): number => {
    const sql = `SELECT count(*) AS n FROM (${SELECT[kind]} WHERE r.project_id = ? AND ${where})`
    return db.one<{ n: number }>(sql, work.projectId)!.n
  }
  const total = kinds.reduce((sum, kind) => sum + count(kind), 0)
  let done = 0
  const from = kinds.indexOf(work.cursor.thing?.kind ?? kinds[0]!)
  for (const [index, kind] of kinds.entries()) {
    if (index < from) done += count(kind)
    if (index < from) continue
    for (let iid = firstOf(work, kind); ; iid++) {
      const sql = `${SELECT[kind]} WHERE r.project_id = ? AND r.iid >= ? AND ${where} ORDER BY r.iid LIMIT 1`
      const next = db.one<{ iid: number }>(sql, work.projectId, iid)
      if (!next) break
      iid = next.iid
      checkAlive(work)
      if (work.cursor.thing?.iid !== iid || work.cursor.thing.kind !== kind)
        keepCursor(work, { thing: { kind, iid }, page: null, counted: false })
      await each({ kind, iid })
      work.total = total
      keepCursor(work, { done: ++done, page: null, counted: false })
      tell(work)
    }
  }
}

/** Where things of a kind begin: at the one that was cut off. */
function firstOf({ cursor }: Work, kind: Thing['kind']): number {
  return cursor.thing?.kind === kind ? cursor.thing.iid : 0
}
