import type { Presentation } from '../../http/entity.ts'
import { addDays } from '../../lib/clock.ts'
import { withoutCredentials } from '../../lib/text/url.ts'
import { UserBasic } from '../users/entity.ts'
import { fullPath, type Project } from './types.ts'
import type { ProjectView } from './service-views.ts'
import { sshAddress } from '../../lib/ssh/address.ts'
import { NamespaceBasic } from '../namespaces/entity.ts'
import type { DetectedLicense } from './repository/license.ts'

/** The image cleanup policy of a new project (spec core 1.2). */
const DEFAULT_CLEANUP_POLICY = {
  cadence: '1d',
  enabled: false,
  keep_n: 10 as number | null,
  older_than: '90d' as string | null,
  name_regex: '.*' as string | null,
  name_regex_keep: null as string | null,
}

/** Returns the cleanup policy of a project: the defaults, overridden by its stored values. */
function cleanupPolicy(stored: string): typeof DEFAULT_CLEANUP_POLICY {
  return stored === '{}'
    ? DEFAULT_CLEANUP_POLICY
    : { ...DEFAULT_CLEANUP_POLICY, ...(JSON.parse(stored) as Partial<typeof DEFAULT_CLEANUP_POLICY>) }
}

/** Returns an access level as the entity shows it. Notification level 3 means "participating" (spec core 8.10). */
function accessOf(level: number) {
  return level === 0 ? null : { access_level: level, notification_level: 3 }
}

function links({ project, readsIssues, readsMergeRequests }: ProjectView, at: Presentation) {
  const self = `${at.url}/api/v4/projects/${project.id}`
  return {
    self,
    issues: readsIssues ? `${self}/issues` : undefined,
    merge_requests: readsMergeRequests ? `${self}/merge_requests` : undefined,
    repo_branches: `${self}/repository/branches`,
    labels: `${self}/labels`,
    events: `${self}/events`,
    members: `${self}/members`,
    cluster_agents: `${self}/cluster_agents`,
  }
}

function ownerOf(project: Project, at: Presentation) {
  if (project.owner_id === null) return undefined
  const row = {
    id: project.owner_id,
    username: project.owner_username!,
    name: project.owner_name!,
    state: project.owner_state!,
    avatar: project.owner_avatar,
  }
  return UserBasic.present(row, at)
}

/** Sizes in bytes. */
function statisticsOf(project: Project) {
  return {
    commit_count: project.commit_count,
    storage_size:
      project.repository_size +
      project.wiki_size +
      project.lfs_objects_size +
      project.job_artifacts_size +
      project.pipeline_artifacts_size +
      project.packages_size +
      project.snippets_size +
      project.uploads_size,
    repository_size: project.repository_size,
    wiki_size: project.wiki_size,
    lfs_objects_size: project.lfs_objects_size,
    job_artifacts_size: project.job_artifacts_size,
    pipeline_artifacts_size: project.pipeline_artifacts_size,
    packages_size: project.packages_size,
    snippets_size: project.snippets_size,
    uploads_size: project.uploads_size,
  }
}

function permissionsOf({ permissions }: ProjectView) {
  return (
    permissions && {
      project_access: accessOf(permissions.direct),
      group_access: accessOf(permissions.inherited),
    }
  )
}

function expirationOf(project: Project) {
  const policy = cleanupPolicy(project.container_expiration_policy)
  return {
    cadence: policy.cadence,
    enabled: policy.enabled,
    keep_n: policy.keep_n,
    older_than: policy.older_than,
    name_regex: policy.name_regex,
    name_regex_keep: policy.name_regex_keep,
    next_run_at: addDays(project.created_at, 1),
  }
}

/** Returns the description as HTML: the stored HTML, or the plain text in a paragraph. */
export function shownDescription(text: string | null, html: string | null): string {
  if (html !== null) return html
  return text ? `<p>${escape(text)}</p>` : ''
}

/** Texts stored before the HTML column existed may contain anything. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Returns the computed fields of the full view. `undefined`, which JSON omits, hides a field from the reader. */
export function computedFields(view: ProjectView, at: Presentation) {
  const project = view.project
  return {
    ...simple(view, at),
    _links: links(view, at),
    owner: ownerOf(project, at),
    issues_enabled: project.issues_access_level !== 'disabled',
    merge_requests_enabled: project.merge_requests_access_level !== 'disabled',
    wiki_enabled: project.wiki_access_level !== 'disabled',
    jobs_enabled: project.builds_access_level !== 'disabled',
    snippets_enabled: project.snippets_access_level !== 'disabled',
    container_registry_enabled: project.container_registry_access_level !== 'disabled',
    requirements_enabled: project.requirements_access_level !== 'disabled',
    security_and_compliance_enabled: project.security_and_compliance_access_level !== 'disabled',
    service_desk_address: null,
    can_create_merge_request_in: view.createsMergeRequests,
    description_html: shownDescription(project.description, project.description_html),
    auto_devops_enabled: view.autoDevops,
    container_expiration_policy: expirationOf(project),
    open_issues_count: view.readsIssues ? project.open_issues_count : undefined,
    runners_token: view.runnersToken,
    import_error: view.maintains ? project.import_error : undefined,
    import_url: project.import_url === null ? null : withoutCredentials(project.import_url),
    forked_from_project: view.parent && simple(view.parent, at),
    mr_default_target_self: view.parent && project.mr_default_target_self,
    shared_with_groups: view.shares,
    mirror_user_id: project.mirror ? project.mirror_user_id : undefined,
    mirror_trigger_builds: project.mirror ? project.mirror_trigger_builds : undefined,
    only_mirror_protected_branches: project.mirror ? project.only_mirror_protected_branches : undefined,
    mirror_overwrites_diverged_branches: project.mirror
      ? project.mirror_overwrites_diverged_branches
      : undefined,
    marked_for_deletion_on: project.marked_for_deletion_at,
    compliance_frameworks: [],
    statistics: view.statistics ? statisticsOf(project) : undefined,
    permissions: permissionsOf(view),
  }
}

/** Returns the fields that identify a project. */
export function identity(project: Project) {
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

function readmeUrl(project: Project, webUrl: string): string | null {
  if (project.readme_path === null) return null
  return `${webUrl}/-/blob/${project.default_branch}/${project.readme_path.split('/').map(encodeURIComponent).join('/')}`
}

function licenseUrl(project: Project, webUrl: string, license: DetectedLicense): string {
  return `${webUrl}/-/blob/${project.default_branch}/${encodeURIComponent(license.path)}`
}

function avatar(project: Project, at: Presentation): string | null {
  return project.avatar
    ? `${at.url}/uploads/-/system/project/avatar/${project.id}/${encodeURIComponent(project.avatar)}`
    : null
}

function namespace(project: Project, at: Presentation) {
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

/** The simple view (spec core 1.1). */
export function simple(view: ProjectView, at: Presentation) {
  const { project } = view
  const path = fullPath(project)
  const webUrl = `${at.url}/${path}`
  const topics = project.topics === '[]' ? [] : (JSON.parse(project.topics) as string[])
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${project.namespace_full_name} / ${project.name}`,
    path: project.path,
    path_with_namespace: path,
    created_at: project.created_at,
    // JSON omits `undefined`: only readers of the code get these fields.
    default_branch: view.readsCode ? project.default_branch : undefined,
    tag_list: topics,
    topics,
    ssh_url_to_repo: sshAddress(path, at),
    http_url_to_repo: `${at.cloneUrl ?? at.url}/${path}.git`,
    web_url: webUrl,
    readme_url: view.readsCode ? readmeUrl(project, webUrl) : undefined,
    forks_count: view.readsCode ? project.forks_count : undefined,
    avatar_url: avatar(project, at),
    star_count: project.star_count,
    last_activity_at: project.last_activity_at,
    namespace: namespace(project, at),
    repository_storage: view.isAdmin ? project.repository_storage : undefined,
    license_url: view.license && licenseUrl(project, webUrl, view.license),
    license: view.license === undefined ? undefined : (view.license?.license ?? null),
    custom_attributes: view.attributes,
  }
}
