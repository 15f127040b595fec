import { z } from 'zod'

import { entity, time, type Presentation } from '../../http/entity.ts'
import { groupAvatarUrl, namespaceUrl } from '../namespaces/entity.ts'
import { Project } from '../projects/entity.ts'
import type { Group as GroupRow } from './group.ts'
import type { GroupDetailView, GroupView } from './views.ts'

const sizes = [
  'storage_size',
  'repository_size',
  'wiki_size',
  'lfs_objects_size',
  'job_artifacts_size',
  'pipeline_artifacts_size',
  'packages_size',
  'snippets_size',
  'uploads_size',
] as const

const fields = {
  id: z.int(),
  web_url: z.string(),
  name: z.string(),
  path: z.string(),
  description: z.string(),
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
  avatar_url: z.string().nullable(),
  request_access_enabled: z.boolean(),
  full_name: z.string(),
  full_path: z.string(),
  created_at: time(),
  parent_id: z.int().nullable(),
  marked_for_deletion_on: z.null(),
  statistics: z.strictObject(Object.fromEntries(sizes.map((name) => [name, z.int()]))).optional(),
}

const flag = (value: number | null): boolean | null => (value === null ? null : value === 1)

function settings(group: GroupRow) {
  return {
    visibility: group.visibility as 'private' | 'internal' | 'public',
    share_with_group_lock: group.share_with_group_lock === 1,
    require_two_factor_authentication: group.require_two_factor_authentication === 1,
    two_factor_grace_period: group.two_factor_grace_period,
    project_creation_level: group.project_creation_level as 'noone' | 'maintainer' | 'developer',
    auto_devops_enabled: flag(group.auto_devops_enabled),
    subgroup_creation_level: group.subgroup_creation_level as 'owner' | 'maintainer',
    emails_disabled: flag(group.emails_disabled),
    mentions_disabled: flag(group.mentions_disabled),
    lfs_enabled: group.lfs_enabled === 1,
    default_branch_protection: group.default_branch_protection,
    request_access_enabled: group.request_access_enabled === 1,
  }
}

/** Only code repositories take space so far. */
function statistics(size: number): Record<string, number> {
  const taken: Record<string, number> = { storage_size: size, repository_size: size }
  return Object.fromEntries(sizes.map((name) => [name, taken[name] ?? 0]))
}

function present({ group, size }: GroupView, at: Presentation) {
  return {
    id: group.id,
    web_url: namespaceUrl(group, at),
    name: group.name,
    path: group.path,
    description: group.description,
    ...settings(group),
    avatar_url: groupAvatarUrl(group, at),
    full_name: group.full_name,
    full_path: group.full_path,
    created_at: group.created_at,
    parent_id: group.parent_id,
    marked_for_deletion_on: null,
    ...(size === undefined ? {} : { statistics: statistics(size) }),
  }
}

/** A group in lists (spec core 2.1). */
export const Group = entity('Group', fields, present)

/** A single group, with its projects unless they are not wanted (spec core 2.1). */
export const GroupDetail = entity(
  'GroupDetail',
  {
    ...fields,
    shared_with_groups: z.array(z.never()),
    prevent_sharing_groups_outside_hierarchy: z.boolean().optional(),
    projects: z.array(Project.schema).optional(),
    shared_projects: z.array(Project.schema).optional(),
  },
  (view: GroupDetailView, at) => ({
    ...present(view, at),
    shared_with_groups: [] as never[],
    ...(view.group.parent_id === null ? { prevent_sharing_groups_outside_hierarchy: false } : {}),
    ...(view.projects
      ? { projects: view.projects.map((one) => Project.present(one, at)), shared_projects: [] as never[] }
      : {}),
  }),
)
