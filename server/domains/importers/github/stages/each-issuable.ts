import type { IssuableRef } from '../../hosts/landing/index.ts'
import { countImported, importedFrom } from '../store.ts'
import { checkAlive, keepCursor, reportProgress } from '../../hosts/work.ts'
import { type Work } from '../work.ts'

/**
 * Calls back for every imported issue or merge request of some kinds, by number, and continues where the import was
 * interrupted. `merged` narrows to merged ones.
 */
export async function eachIssuable(
  work: Work,
  kinds: readonly IssuableRef['kind'][],
  each: (issuable: IssuableRef) => Promise<void>,
  { merged }: { readonly merged?: boolean } = {},
): Promise<void> {
  const { ctx, projectId } = work
  const count = (kind: IssuableRef['kind']) => countImported(ctx.db, { projectId, kind, merged })
  const total = kinds.reduce((sum, kind) => sum + count(kind), 0)
  let done = 0
  const from = kinds.indexOf(work.cursor.issuable?.kind ?? kinds[0]!)
  for (const [index, kind] of kinds.entries()) {
    if (index < from) done += count(kind)
    if (index < from) continue
    for (let at = firstOf(work, kind); ; at++) {
      const iid = importedFrom(ctx.db, { projectId, kind, merged }, at)
      if (iid === undefined) break
      at = iid
      checkAlive(work)
      if (work.cursor.issuable?.iid !== iid || work.cursor.issuable.kind !== kind)
        keepCursor(work, { issuable: { kind, iid }, page: null, counted: false })
      await each({ kind, iid })
      work.total = total
      keepCursor(work, { done: ++done, page: null, counted: false })
      reportProgress(work)
    }
  }
}

/** The number to begin with: that of the issue or merge request where the import was interrupted. */
function firstOf({ cursor }: Work, kind: IssuableRef['kind']): number {
  return cursor.issuable?.kind === kind ? cursor.issuable.iid : 0
}
