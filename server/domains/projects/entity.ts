import { z } from 'zod'

import { entity, time, type Presentation } from '../../http/entity.ts'
import { NamespaceBasic } from '../namespaces/entity.ts'
import { UserBasic } from '../users/entity.ts'
import { fullPath, type Project as ProjectRow } from './project.ts'
import { settings, settingsFields } from './settings-entity.ts'
import type { ProjectView, StarRow } from './views.ts'

const identityFields = {
  id: z.int(),
  description: z.string().nullable(),
  name: z.string(),
  name_with_namespace: z.string(),
  path: z.string(),
  path_with_namespace: z.string(),
  created_at: time(),
}

function identity(project: ProjectRow) {
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${project.namespace_full_name} / ${project.name}`,
    path: project.path,
    path_with_namespace: fullPath(project),
    created_at: project.created_at,
  }
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
}

function readmeUrl(project: ProjectRow, webUrl: string): string | null {
  if (project.readme_path === null) return null
  return `${webUrl}/-/blob/${project.default_branch}/${project.readme_path.split('/').map(encodeURIComponent).join('/')}`
}

function avatar(project: ProjectRow, at: Presentation): string | null {
  return project.avatar
    ? `${at.url}/uploads/-/system/project/avatar/${project.id}/${encodeURIComponent(project.avatar)}`
    : null
}

function namespace(project: ProjectRow, at: Presentation) {
  const row = {
    id: project.namespace_id,
    name: project.namespace_name,
    path: project.namespace_path,
    kind: project.namespace_kind,
    full_path: project.namespace_full_path,
    parent_id: project.namespace_parent_id,
    avatar: project.namespace_avatar,
  }
  return NamespaceBasic.present(row, at)
}

function simple(view: ProjectView, at: Presentation) {
  const { project } = view
  const path = fullPath(project)
  const webUrl = `${at.url}/${path}`
  const topics = JSON.parse(project.topics) as string[]
  return {
    ...identity(project),
    ...(view.readsCode ? { default_branch: project.default_branch } : {}),
    tag_list: topics,
    topics,
    ssh_url_to_repo: `git@${new URL(at.url).hostname}:${path}.git`,
    http_url_to_repo: `${webUrl}.git`,
    web_url: webUrl,
    // Only for readers of the code.
    ...(view.readsCode ? { readme_url: readmeUrl(project, webUrl), forks_count: 0 } : {}),
    avatar_url: avatar(project, at),
    star_count: project.star_count,
    last_activity_at: project.last_activity_at,
    namespace: namespace(project, at),
    ...(view.isAdmin ? { repository_storage: project.repository_storage } : {}),
  }
}

/** A project without its settings: for callers who are not signed in, and where asked for (spec core 1.1). */
export const ProjectSimple = entity('ProjectSimple', simpleFields, simple)

const access = z.strictObject({ access_level: z.int(), notification_level: z.int() }).nullable()
const link = z.string()

/** Participating is decided globally: 3 (spec core 8.10). */
function accessOf(level: number) {
  return level === 0 ? null : { access_level: level, notification_level: 3 }
}

function links({ project, readsIssues, readsMergeRequests }: ProjectView, at: Presentation) {
  const self = `${at.url}/api/v4/projects/${project.id}`
  return {
    self,
    ...(readsIssues ? { issues: `${self}/issues` } : {}),
    ...(readsMergeRequests ? { merge_requests: `${self}/merge_requests` } : {}),
    repo_branches: `${self}/repository/branches`,
    labels: `${self}/labels`,
    events: `${self}/events`,
    members: `${self}/members`,
    cluster_agents: `${self}/cluster_agents`,
  }
}

function owner(project: ProjectRow, at: Presentation) {
  if (project.owner_id === null) return {}
  const row = {
    id: project.owner_id,
    username: project.owner_username!,
    name: project.owner_name!,
    state: project.owner_state!,
    avatar: project.owner_avatar,
  }
  return { owner: UserBasic.present(row, at) }
}

/** Sizes in bytes. What has no store of its own yet takes none. */
function statistics(project: ProjectRow) {
  return {
    commit_count: project.commit_count,
    storage_size: project.repository_size,
    repository_size: project.repository_size,
    wiki_size: 0,
    lfs_objects_size: 0,
    job_artifacts_size: 0,
    pipeline_artifacts_size: 0,
    packages_size: 0,
    snippets_size: 0,
    uploads_size: 0,
  }
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
    ...settingsFields,
    statistics: z
      .strictObject(
        Object.fromEntries(Object.keys(statistics({} as ProjectRow)).map((name) => [name, z.int()])),
      )
      .optional(),
    permissions: z.strictObject({ project_access: access, group_access: access }).optional(),
  },
  (view: ProjectView, at) => ({
    ...simple(view, at),
    _links: links(view, at),
    ...owner(view.project, at),
    ...settings(view),
    ...(view.statistics ? { statistics: statistics(view.project) } : {}),
    ...(view.permissions
      ? {
          permissions: {
            project_access: accessOf(view.permissions.direct),
            group_access: accessOf(view.permissions.inherited),
          },
        }
      : {}),
  }),
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
