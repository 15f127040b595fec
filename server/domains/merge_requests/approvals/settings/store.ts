import type { Selectable } from 'kysely'

import { q, type Database } from '../../../../db/database.ts'
import type { ProjectApprovalSettingsTable } from '../../../../db/schema.gen.ts'
import { settingsFrom } from '../../../settings/index.ts'

/** How approvals work in a project, without the count that its rule for all members has. */
export type ApprovalSettings = Omit<Selectable<ProjectApprovalSettingsTable>, 'project_id'>

/** What holds in projects that say nothing (spec administration 12.1). */
const DEFAULTS: ApprovalSettings = {
  reset_approvals_on_push: true,
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_password_to_approve: false,
}

/** What holds in a project: what it says, unless the instance says otherwise. Remembered until the next write. */
export function settingsOf(db: Database, projectId: number): ApprovalSettings {
  return db.remember(`approval-settings:${projectId}`, () => ({ ...ownOf(db, projectId), ...ofInstance(db) }))
}

/** What a project says. */
export function ownOf(db: Database, projectId: number): ApprovalSettings {
  const query = q.selectFrom('project_approval_settings').selectAll().where('project_id', '=', projectId)
  return db.get(query) ?? DEFAULTS
}

/** What the instance says for all projects (spec administration 1.2). */
function ofInstance(db: Database): Partial<ApprovalSettings> {
  const settings = settingsFrom(db)
  return {
    ...(settings.prevent_merge_requests_author_approval ? { merge_requests_author_approval: false } : {}),
    ...(settings.prevent_merge_requests_committers_approval
      ? { merge_requests_disable_committers_approval: true }
      : {}),
    ...(settings.disable_overriding_approvers_per_merge_request
      ? { disable_overriding_approvers_per_merge_request: true }
      : {}),
  }
}

/** Writes settings; the others stay. */
export function save(db: Database, projectId: number, changes: Partial<ApprovalSettings>): void {
  const row = { ...ownOf(db, projectId), ...changes, project_id: projectId }
  db.run(
    q
      .insertInto('project_approval_settings')
      .values(row)
      .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row)),
  )
}
