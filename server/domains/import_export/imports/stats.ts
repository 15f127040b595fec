import type { Ctx } from '../../../ctx.ts'

/** What is counted, by kind (spec administration 6.6). */
export interface ImportStats {
  readonly fetched: Readonly<Record<string, number>>
  readonly imported: Readonly<Record<string, number>>
}

/** Counts what was fetched from a source, or imported. Kinds are plain words: `issue`, `pull_request_review`. */
export function addStats(
  ctx: Pick<Ctx, 'db'>,
  projectId: number,
  side: 'fetched' | 'imported',
  kind: string,
  count = 1,
): void {
  const path = `$.${side}.${kind.replace(/[^a-z0-9_]/gi, '')}`
  ctx.db.exec(
    `UPDATE import_runs SET stats = json_set(stats, ?, coalesce(json_extract(stats, ?), 0) + ?)
     WHERE project_id = ? AND stats IS NOT NULL`,
    path,
    path,
    count,
    projectId,
  )
}

/** The counts with their kinds in order; null where none are shown. */
export function statsOf(text: string | null): ImportStats | null {
  if (text === null) return null
  const { fetched, imported } = JSON.parse(text) as ImportStats
  return { fetched: sorted(fetched), imported: sorted(imported) }
}

function sorted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
