import { isIP } from 'node:net'

import type { Ctx } from '../../ctx.ts'
import { namespaceTreeIds, updateNamespaces } from '../namespaces/index.ts'
import { findProject, setSharedRunnersIn } from '../projects/index.ts'
import { settingsOf } from '../settings/index.ts'
import type { Group, GroupColumns } from './types.ts'
import { manages, type Problems } from './validation.ts'

/** Returns the settings that a new subgroup inherits: the sharing lock, and the setting of shared runners. */
export function inheritedSettings(parent: Group | undefined, columns: GroupColumns = {}): GroupColumns {
  if (!parent) return {}
  return {
    share_with_group_lock: parent.share_with_group_lock || (columns.share_with_group_lock ?? false),
    shared_runners_setting: parent.shared_runners_setting,
  }
}

/**
 * Removes settings that the actor may not set, or that only top-level groups have. In the contract these are no
 * errors.
 */
export function withoutForbidden(ctx: Ctx, columns: GroupColumns, isTop: boolean): GroupColumns {
  const result = { ...columns }
  const { is_admin } = ctx.actor
  if (!is_admin) {
    delete result.shared_runners_minutes_limit
    delete result.extra_shared_runners_minutes_limit
    if (!settingsOf(ctx).group_owners_can_manage_default_branch_protection)
      delete result.default_branch_protection
  }
  if (!isTop) delete result.prevent_sharing_groups_outside_hierarchy
  return result
}

const RUNNERS_DISABLED =
  'Validation failed: Shared runners enabled cannot be enabled because parent group has shared Runners disabled'
const OVERRIDE_DISABLED =
  'Validation failed: Allow descendants override disabled shared runners cannot be enabled because parent group does not allow it'
const LOCKED =
  'cannot be disabled when the parent "Share with group lock" is enabled, except by the owner of the parent group'

/** Returns the problems with changed settings of a group below its parent. */
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
    else if (!ranges.split(',').every((range) => isIpRange(range.trim())))
      problems['ip_restrictions.range'] = ['is an invalid IP address range']
  }
  return problems
}

function runnersProblem(parent: Group | undefined, setting: string | undefined): string | undefined {
  const parentSetting = parent?.shared_runners_setting ?? 'enabled'
  if (setting === undefined || parentSetting === 'enabled') return undefined
  if (parentSetting === 'disabled_and_overridable') return undefined
  if (setting === 'enabled') return RUNNERS_DISABLED
  return setting === 'disabled_and_overridable' ? OVERRIDE_DISABLED : undefined
}

/** Returns true if a project belongs to the group or to a subgroup, so that it can be its template project. */
function isTemplate(ctx: Ctx, group: Group, projectId: number): boolean {
  const project = findProject(ctx, String(projectId))
  return project !== undefined && (JSON.parse(project.lineage) as number[]).includes(group.id)
}

function isIpRange(range: string): boolean {
  const [address = '', bits] = range.split('/')
  const kind = isIP(address)
  if (kind === 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (kind === 4 ? 32 : 128))
}

/**
 * Copies the sharing lock and disabled shared runners of a group to everything below it, after its settings changed.
 * Runs in the caller's transaction.
 */
export function copyToSubgroups(ctx: Ctx, group: Group, before: Group): void {
  const isLocked = group.share_with_group_lock && !before.share_with_group_lock
  const setting = group.shared_runners_setting
  const disablesRunners = setting !== 'enabled' && setting !== before.shared_runners_setting
  if (!isLocked && !disablesRunners) return
  const descendantIds = namespaceTreeIds(ctx.db, group.id).filter((id) => id !== group.id)
  if (isLocked) updateNamespaces(ctx.db, descendantIds, { share_with_group_lock: true })
  // A change from one kind of "disabled" to "disabled, with override" keeps the settings of subgroups.
  if (
    disablesRunners &&
    !(setting === 'disabled_and_overridable' && before.shared_runners_setting !== 'enabled')
  ) {
    updateNamespaces(ctx.db, descendantIds, { shared_runners_setting: setting })
    setSharedRunnersIn(ctx, [group.id, ...descendantIds], false)
  }
}
