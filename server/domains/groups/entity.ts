import { z } from 'zod'

import { date, entity, time, type Presentation } from '../../http/entity.ts'
import { CustomAttribute } from '../users/custom_attributes/entity.ts'
import { groupAvatarUrl, namespaceUrl } from '../namespaces/entity.ts'
import { Project } from '../projects/entity.ts'
import type { GroupDetailView, GroupView } from './service-views.ts'
import type { Group as GroupRow, GroupSizes } from './types.ts'

/** The total sizes of the projects of a group by kind of data, in bytes (spec rest-api, Group). */
export const sizeFields = {
  storage_size: z.int(),
  repository_size: z.int(),
  wiki_size: z.int(),
  lfs_objects_size: z.int(),
  job_artifacts_size: z.int(),
  pipeline_artifacts_size: z.int(),
  packages_size: z.int(),
  snippets_size: z.int(),
  uploads_size: z.int(),
}

export function presentSizes(sizes: GroupSizes) {
  return {
    storage_size: Object.values(sizes).reduce((sum: number, size: number) => sum + size, 0),
    ...sizes,
  }
}

/** Fields of every group in the contract's order (spec core 2.1). */
export const settingFields = {
  visibility: z.enum(['private', 'internal', 'public']),
  share_with_group_lock: z.boolean(),
  require_two_factor_authentication: z.boolean(),
  two_factor_grace_period: z.int(),
  project_creation_level: z.enum(['noone', 'maintainer', 'developer']),
  auto_devops_enabled: z.boolean().nullable(),
  subgroup_creation_level: z.enum(['owner', 'maintainer']),
  emails_disabled: z.boolean().nullable(),
  mentions_disabled: z.boolean().nullable(),
  lfs_enabled: z.boolean(),
  default_branch_protection: z.int(),
  request_access_enabled: z.boolean(),
}

export function presentSettings(group: GroupRow) {
  return {
    visibility: group.visibility,
    share_with_group_lock: group.share_with_group_lock,
    require_two_factor_authentication: group.require_two_factor_authentication,
    two_factor_grace_period: group.two_factor_grace_period,
    project_creation_level: group.project_creation_level,
    auto_devops_enabled: group.auto_devops_enabled,
    subgroup_creation_level: group.subgroup_creation_level,
    emails_disabled: group.emails_disabled,
    mentions_disabled: group.mentions_disabled,
    lfs_enabled: group.lfs_enabled,
    default_branch_protection: group.default_branch_protection,
    request_access_enabled: group.request_access_enabled,
  }
}

/** Fields of every group after the path fields, in the contract's order. */
export const remainingFields = {
  created_at: time(),
  parent_id: z.int().nullable(),
  shared_runners_setting: z.enum(['enabled', 'disabled_and_overridable', 'disabled_and_unoverridable']),
  // Deskforge has no LDAP groups.
  ldap_cn: z.null(),
  ldap_access: z.null(),
  file_template_project_id: z.int().nullable(),
  marked_for_deletion_on: date().nullable(),
  wiki_access_level: z.enum(['disabled', 'private', 'enabled']),
}

export function presentRemainingFields(group: GroupRow) {
  return {
    created_at: group.created_at,
    parent_id: group.parent_id,
    shared_runners_setting: group.shared_runners_setting,
    ldap_cn: null,
    ldap_access: null,
    file_template_project_id: group.file_template_project_id,
    marked_for_deletion_on: group.marked_for_deletion_on,
    wiki_access_level: group.wiki_access_level,
  }
}

/** Fields of single groups only. Those from `runners_token` on are for owners. */
export const detailFields = {
  shared_runners_minutes_limit: z.int().nullable(),
  extra_shared_runners_minutes_limit: z.int().nullable(),
  prevent_forking_outside_group: z.boolean(),
  membership_lock: z.boolean(),
  ldap_group_links: z.array(z.never()),
  saml_group_links: z.array(z.never()),
  enabled_git_access_protocol: z.enum(['ssh', 'http', 'all']),
  prevent_sharing_groups_outside_hierarchy: z.boolean().optional(),
  runners_token: z.string().nullable().optional(),
  unique_project_download_limit: z.int().optional(),
  unique_project_download_limit_interval_in_seconds: z.int().optional(),
  unique_project_download_limit_allowlist: z.array(z.string()).optional(),
  unique_project_download_limit_alertlist: z.array(z.int()).optional(),
  auto_ban_user_on_excessive_projects_download: z.boolean().optional(),
}

type Detail = Pick<GroupDetailView, 'group' | 'manages' | 'runnersToken'>

function presentForManagers({ group, runnersToken }: Detail) {
  return {
    runners_token: runnersToken ?? null,
    unique_project_download_limit: group.unique_project_download_limit,
    unique_project_download_limit_interval_in_seconds:
      group.unique_project_download_limit_interval_in_seconds,
    unique_project_download_limit_allowlist: JSON.parse(
      group.unique_project_download_limit_allowlist,
    ) as string[],
    unique_project_download_limit_alertlist: JSON.parse(
      group.unique_project_download_limit_alertlist,
    ) as number[],
    auto_ban_user_on_excessive_projects_download: group.auto_ban_user_on_excessive_projects_download,
  }
}

export function presentDetail(view: Detail) {
  const { group, manages } = view
  return {
    shared_runners_minutes_limit: group.shared_runners_minutes_limit,
    extra_shared_runners_minutes_limit: group.extra_shared_runners_minutes_limit,
    prevent_forking_outside_group: group.prevent_forking_outside_group,
    membership_lock: group.membership_lock,
    ldap_group_links: [],
    saml_group_links: [],
    enabled_git_access_protocol: (group.enabled_git_access_protocol ?? 'all') as 'all',
    ...(group.parent_id === null
      ? { prevent_sharing_groups_outside_hierarchy: group.prevent_sharing_groups_outside_hierarchy }
      : {}),
    ...(manages ? presentForManagers(view) : {}),
  }
}

const { request_access_enabled, ...settings } = settingFields

const fields = {
  id: z.int(),
  web_url: z.string(),
  name: z.string(),
  path: z.string(),
  description: z.string(),
  ...settings,
  avatar_url: z.string().nullable(),
  request_access_enabled,
  full_name: z.string(),
  full_path: z.string(),
  ...remainingFields,
  ip_restriction_ranges: z.string().nullable().optional(),
  statistics: z.strictObject(sizeFields).optional(),
  custom_attributes: z.array(CustomAttribute.schema).optional(),
}

function present({ group, sizes, attributes, ranges }: GroupView, at: Presentation) {
  return {
    id: group.id,
    web_url: namespaceUrl(group, at),
    name: group.name,
    path: group.path,
    description: group.description,
    ...presentSettings(group),
    avatar_url: groupAvatarUrl(group, at),
    full_name: group.full_name,
    full_path: group.full_path,
    ...presentRemainingFields(group),
    ...(ranges ? { ip_restriction_ranges: group.ip_restriction_ranges } : {}),
    ...(sizes ? { statistics: presentSizes(sizes) } : {}),
    ...(attributes
      ? { custom_attributes: attributes.map((attribute) => CustomAttribute.present(attribute, at)) }
      : {}),
  }
}

/** A group in lists (spec core 2.1). */
export const Group = entity('Group', fields, present)

const invited = z.strictObject({
  group_id: z.int(),
  group_name: z.string(),
  group_full_path: z.string(),
  group_access_level: z.int(),
  expires_at: date().nullable(),
})

/** A single group, by default with its projects (spec core 2.1). */
export const GroupDetail = entity(
  'GroupDetail',
  {
    ...fields,
    shared_with_groups: z.array(invited),
    ...detailFields,
    projects: z.array(Project.schema).optional(),
    shared_projects: z.array(Project.schema).optional(),
  },
  (view: GroupDetailView, at) => ({
    ...present(view, at),
    shared_with_groups: view.invited.map((share) => ({ ...share })),
    ...presentDetail(view),
    ...(view.projects
      ? {
          projects: view.projects.own.map((project) => Project.present(project, at)),
          shared_projects: view.projects.shared.map((project) => Project.present(project, at)),
        }
      : {}),
  }),
)
