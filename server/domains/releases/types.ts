import type { Selectable } from 'kysely'

import type { ReleaseEvidencesTable, ReleaseLinksTable, ReleasesTable } from '../../db/schema.gen.ts'

/** A release as stored. */
export type ReleaseRow = Selectable<ReleasesTable>
/** An address that a release names, as stored; `filepath` begins with `/`. */
export type ReleaseLinkRow = Selectable<ReleaseLinksTable>
/** What was written down about a release when it came out. */
export type EvidenceRow = Selectable<ReleaseEvidencesTable>

/** True for a release with a date in the future. */
export function isUpcoming(release: Pick<ReleaseRow, 'released_at'>, now: string): boolean {
  return release.released_at > now
}

/** True for a release that was entered after it came out. */
export function isHistorical(release: Pick<ReleaseRow, 'released_at' | 'created_at'>): boolean {
  return release.released_at < release.created_at
}
