import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { invalid } from '../../../lib/fail.ts'
import { ProjectUpdated } from '../../projects/events.ts'
import { projectById, updateProjectRow, type Project } from '../../projects/index.ts'
import type { SettingsView } from './entity.ts'
import * as store from './store.ts'
import type { ApprovalSettings } from './store.ts'

/** The changes of settings. Undefined fields stay unchanged. */
export interface SettingsInput extends Partial<Record<keyof ApprovalSettings, boolean | undefined>> {
  readonly approvals_before_merge?: number | undefined
}

/** Loads the settings of a project as the answer shows them. */
export function settingsView(ctx: Ctx, project: Project): SettingsView {
  return { project, settings: store.settingsOf(ctx.db, project.id) }
}

/**
 * Updates the settings of a project. Throws 400 for `selective_code_owner_removals` together with
 * `reset_approvals_on_push` (spec administration 12.1).
 */
export function changeSettings(ctx: Ctx, project: Project, input: SettingsInput): SettingsView {
  const { approvals_before_merge, ...switches } = input
  const changes = definedOnly(switches)
  const settings = { ...store.settingsOf(ctx.db, project.id), ...changes }
  if (settings.reset_approvals_on_push && settings.selective_code_owner_removals) {
    if (input.selective_code_owner_removals)
      throw invalid({
        selective_code_owner_removals: 'can only be enabled when reset_approvals_on_push is disabled',
      })
    // If a push removes all approvals, a selective removal has no effect.
    changes.selective_code_owner_removals = false
  }
  return tx(ctx.db, () => {
    if (Object.keys(changes).length > 0) store.saveSettings(ctx.db, project.id, changes)
    if (approvals_before_merge !== undefined)
      updateProjectRow(ctx.db, project.id, { approvals_before_merge, updated_at: ctx.now })
    const changed = Object.keys(input).filter((name) => input[name as keyof SettingsInput] !== undefined)
    publish(ctx, ProjectUpdated, { project_id: project.id, actor_id: ctx.actor.id, changed })
    return settingsView(ctx, projectById(ctx.db, project.id)!)
  })
}

function definedOnly(input: Omit<SettingsInput, 'approvals_before_merge'>): Partial<ApprovalSettings> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}
