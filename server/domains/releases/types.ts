import type { Selectable } from 'kysely'

import type { ReleaseEvidencesTable, ReleaseLinksTable, ReleasesTable } from '../../db/schema.gen.ts'

/** A release as stored. */
export type ReleaseRow = Selectable<ReleasesTable>
/** A row of a link of a release. `filepath` starts with `/`. */
export type ReleaseLinkRow = Selectable<ReleaseLinksTable>
/** A row of evidence of a release. */
export type EvidenceRow = Selectable<ReleaseEvidencesTable>

/** True for a release with a date in the future. */
export function isUpcoming(release: Pick<ReleaseRow, 'released_at'>, now: string): boolean {
  return release.released_at > now
}

/** True for a historical release: created after its release date. */
export function isHistorical(release: Pick<ReleaseRow, 'released_at' | 'created_at'>): boolean {
  return release.released_at < release.created_at
}
