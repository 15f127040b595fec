import type { Selectable } from 'kysely'

import type { ReleaseEvidencesTable, ReleaseLinksTable, ReleasesTable } from '../../db/schema.gen.ts'

/** A release as stored. */
export type ReleaseRow = Selectable<ReleasesTable>
/** A link of a release as stored. `filepath` starts with `/`. */
export type ReleaseLinkRow = Selectable<ReleaseLinksTable>
/** Evidence of a release as stored. */
export type EvidenceRow = Selectable<ReleaseEvidencesTable>

/** Whether the release date is in the future. */
export function isUpcoming(release: Pick<ReleaseRow, 'released_at'>, now: string): boolean {
  return release.released_at > now
}

/** Whether a release is historical: it was created after its release date. */
export function isHistorical(release: Pick<ReleaseRow, 'released_at' | 'created_at'>): boolean {
  return release.released_at < release.created_at
}
