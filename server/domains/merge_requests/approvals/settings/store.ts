import type { Selectable } from 'kysely'

import { q, type Database } from '../../../../db/database.ts'
import type { ProjectApprovalSettingsTable } from '../../../../db/schema.gen.ts'

/** How approvals work in a project, without the count that its rule for all members has. */
export type ApprovalSettings = Omit<Selectable<ProjectApprovalSettingsTable>, 'project_id'>

/** What holds in projects that say nothing (spec administration 12.1). */
const DEFAULTS: ApprovalSettings = {
  reset_approvals_on_push: 1,
  selective_code_owner_removals: 0,
  disable_overriding_approvers_per_merge_request: 0,
  merge_requests_author_approval: 0,
  merge_requests_disable_committers_approval: 0,
  require_password_to_approve: 0,
}

/** The settings of a project; remembered until the next write. */
export function settingsOf(db: Database, projectId: number): ApprovalSettings {
  return db.remember(`approval-settings:${projectId}`, () => {
    const query = q.selectFrom('project_approval_settings').selectAll().where('project_id', '=', projectId)
    return db.get(query) ?? DEFAULTS
  })
}

/** Writes settings; the others stay. */
export function save(db: Database, projectId: number, changes: Partial<ApprovalSettings>): void {
  const row = { ...settingsOf(db, projectId), ...changes, project_id: projectId }
  db.run(
    q
      .insertInto('project_approval_settings')
      .values(row)
      .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row)),
  )
}
