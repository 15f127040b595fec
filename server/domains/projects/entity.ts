import { z } from 'zod'

import { entity, time } from '../../http/entity.ts'
import { CustomAttribute } from '../users/custom_attributes/entity.ts'
import { NamespaceBasic } from '../namespaces/entity.ts'
import { UserBasic } from '../users/entity.ts'
import { presentProject } from './present.ts'
import type { Project as ProjectRow } from './project.ts'
import { settingsFields } from './settings-entity.ts'
import type { LinkRow } from './shares.ts'
import { identity, simple } from './simple.ts'
import type { StarRow } from './views.ts'

const identityFields = {
  id: z.int(),
  description: z.string().nullable(),
  name: z.string(),
  name_with_namespace: z.string(),
  path: z.string(),
  path_with_namespace: z.string(),
  created_at: time(),
}

/** A project as nested where only its name matters. */
export const ProjectIdentity = entity('ProjectIdentity', identityFields, (project: ProjectRow) =>
  identity(project),
)

const simpleFields = {
  ...identityFields,
  default_branch: z.string().optional(),
  tag_list: z.array(z.string()),
  topics: z.array(z.string()),
  ssh_url_to_repo: z.string(),
  http_url_to_repo: z.string(),
  web_url: z.string(),
  readme_url: z.string().nullable().optional(),
  forks_count: z.int().optional(),
  avatar_url: z.string().nullable(),
  star_count: z.int(),
  last_activity_at: time(),
  namespace: NamespaceBasic.schema,
  repository_storage: z.string().optional(),
  license_url: z.string().nullable().optional(),
  license: z
    .strictObject({
      key: z.string(),
      name: z.string(),
      nickname: z.string().nullable(),
      html_url: z.string(),
      source_url: z.string(),
    })
    .nullable()
    .optional(),
  custom_attributes: z.array(CustomAttribute.schema).optional(),
}

/** A project without its settings: for callers who are not signed in, and where asked for (spec core 1.1). */
export const ProjectSimple = entity('ProjectSimple', simpleFields, simple)

const access = z.strictObject({ access_level: z.int(), notification_level: z.int() }).nullable()
const link = z.string()
const statisticsFields = {
  commit_count: z.int(),
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

/** The full view, with the caller's permissions where asked for (spec core 1.1). */
export const Project = entity(
  'Project',
  {
    ...simpleFields,
    _links: z.strictObject({
      self: link,
      issues: link.optional(),
      merge_requests: link.optional(),
      repo_branches: link,
      labels: link,
      events: link,
      members: link,
      cluster_agents: link,
    }),
    owner: UserBasic.schema.optional(),
    forked_from_project: z.strictObject(simpleFields).optional(),
    ...settingsFields,
    statistics: z.strictObject(statisticsFields).optional(),
    permissions: z.strictObject({ project_access: access, group_access: access }).optional(),
  },
  presentProject,
)

/** A group that a project is shared with (spec core 1.3). */
export const ProjectGroupLink = entity(
  'ProjectGroupLink',
  {
    id: z.int(),
    project_id: z.int(),
    group_id: z.int(),
    group_access: z.int(),
    expires_at: z.iso.date().nullable(),
  },
  (link: LinkRow) => ({
    id: link.id,
    project_id: link.project_id,
    group_id: link.group_id,
    group_access: link.access_level,
    expires_at: link.expires_at,
  }),
)

/** Where the repository of a project lies on disk; administrators only. */
export const ProjectStorage = entity(
  'ProjectStorage',
  { project_id: z.int(), disk_path: z.string(), created_at: time(), repository_storage: z.string() },
  (project: ProjectRow) => ({
    project_id: project.id,
    disk_path: project.disk_path.replace(/\.git$/, ''),
    created_at: project.created_at,
    repository_storage: project.repository_storage,
  }),
)

/** The outcome of something that was done at once. */
export const Outcome = entity(
  'Outcome',
  { status: z.string(), message: z.string() },
  (outcome: { status: string; message: string }) => outcome,
)

/** Somebody who starred a project. */
export const Starrer = entity(
  'Starrer',
  { starred_since: time(), user: UserBasic.schema },
  (row: StarRow, at) => ({
    starred_since: row.starred_since,
    user: UserBasic.present(row, at),
  }),
)
