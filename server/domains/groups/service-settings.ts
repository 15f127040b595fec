import { isIP } from 'node:net'

import type { Ctx } from '../../ctx.ts'
import { namespaceTreeIds, updateNamespaces } from '../namespaces/index.ts'
import { findProject, setSharedRunnersIn } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'
import type { Group, GroupColumns } from './types.ts'
import { manages, type Problems } from './validation.ts'

/** The settings that a new subgroup inherits: a lock on sharing, and disabled shared runners. */
export function fromParent(parent: Group | undefined, columns: GroupColumns = {}): GroupColumns {
  if (!parent) return {}
  return {
    share_with_group_lock: parent.share_with_group_lock || (columns.share_with_group_lock ?? false),
    shared_runners_setting: parent.shared_runners_setting,
  }
}

/** Removes settings that the actor may not set or that this group cannot have. As in the contract, this is no error. */
export function allowed(ctx: Ctx, columns: GroupColumns, isTop: boolean): GroupColumns {
  const kept = { ...columns }
  const { is_admin } = ctx.actor
  if (!is_admin) {
    delete kept.shared_runners_minutes_limit
    delete kept.extra_shared_runners_minutes_limit
    if (!settingsOf(ctx).group_owners_can_manage_default_branch_protection)
      delete kept.default_branch_protection
  }
  if (!isTop) delete kept.prevent_sharing_groups_outside_hierarchy
  return kept
}

const RUNNERS_OFF =
  'Validation failed: Shared runners enabled cannot be enabled because parent group has shared Runners disabled'
const OVERRIDE_OFF =
  'Validation failed: Allow descendants override disabled shared runners cannot be enabled because parent group does not allow it'
const LOCKED =
  'cannot be disabled when the parent "Share with group lock" is enabled, except by the owner of the parent group'

/** Returns the invalid settings of a group below this parent. */
export function settingProblems(
  ctx: Ctx,
  group: Group,
  parent: Group | undefined,
  changes: GroupColumns,
): Problems {
  const problems: Problems = {}
  const {
    share_with_group_lock: lock,
    file_template_project_id: template,
    ip_restriction_ranges: ranges,
  } = changes
  if (lock === false && parent?.share_with_group_lock === true && !manages(ctx, parent))
    problems['share_with_group_lock'] = [LOCKED]
  const runners = runnersProblem(parent, changes.shared_runners_setting)
  if (runners) problems['update_shared_runners'] = [runners]
  if (template !== undefined && template !== null && !isTemplate(ctx, group, template))
    problems['file_template_project_id'] = ['is invalid']
  if (ranges) {
    if (parent)
      problems['ip_restrictions.group'] = ['IP subnet restriction only allowed for top-level groups']
    else if (!ranges.split(',').every((range) => isRange(range.trim())))
      problems['ip_restrictions.range'] = ['is an invalid IP address range']
  }
  return problems
}

function runnersProblem(parent: Group | undefined, setting: string | undefined): string | undefined {
  const above = parent?.shared_runners_setting ?? 'enabled'
  if (setting === undefined || above === 'enabled') return undefined
  if (above === 'disabled_and_overridable') return undefined
  if (setting === 'enabled') return RUNNERS_OFF
  return setting === 'disabled_and_overridable' ? OVERRIDE_OFF : undefined
}

/** The template project must belong to the group or to a subgroup. */
function isTemplate(ctx: Ctx, group: Group, projectId: number): boolean {
  const project = findProject(ctx, String(projectId))
  return project !== undefined && (JSON.parse(project.lineage) as number[]).includes(group.id)
}

function isRange(range: string): boolean {
  const [address = '', bits] = range.split('/')
  const kind = isIP(address)
  if (kind === 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (kind === 4 ? 32 : 128))
}

/**
 * Copies a lock on sharing and disabled shared runners to everything below a group. Call it in a transaction after the
 * settings have changed.
 */
export function copyToSubgroups(ctx: Ctx, group: Group, before: Group): void {
  const isLocked = group.share_with_group_lock && !before.share_with_group_lock
  const setting = group.shared_runners_setting
  const isOff = setting !== 'enabled' && setting !== before.shared_runners_setting
  if (!isLocked && !isOff) return
  const below = namespaceTreeIds(ctx.db, group.id).filter((id) => id !== group.id)
  if (isLocked) updateNamespaces(ctx.db, below, { share_with_group_lock: true })
  // A change from "disabled" to "disabled, with override" does not affect subgroups: they are disabled already.
  if (isOff && !(setting === 'disabled_and_overridable' && before.shared_runners_setting !== 'enabled')) {
    updateNamespaces(ctx.db, below, { shared_runners_setting: setting })
    setSharedRunnersIn(ctx, [group.id, ...below], false)
  }
}
