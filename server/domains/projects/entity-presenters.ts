import type { Presentation } from '../../http/entity.ts'
import { addDays } from '../../lib/clock.ts'
import { withoutCredentials } from '../../lib/text/url.ts'
import type { Visibility } from '../../policy/levels.ts'
import { UserBasic } from '../users/entity.ts'
import { fullPath, type Project } from './types.ts'
import type { ProjectView } from './service-views.ts'
import { sshAddress } from '../../lib/ssh/address.ts'
import { NamespaceBasic } from '../namespaces/entity.ts'
import type { FoundLicense } from './repository/license.ts'

/** The policy of a new project for old images (spec core 1.2). */
const EXPIRATION = {
  cadence: '1d',
  enabled: false,
  keep_n: 10 as number | null,
  older_than: '90d' as string | null,
  name_regex: '.*' as string | null,
  name_regex_keep: null as string | null,
}

/** The policy of a project: what it changed, over the defaults. */
function expirationPolicy(stored: string): typeof EXPIRATION {
  return stored === '{}'
    ? EXPIRATION
    : { ...EXPIRATION, ...(JSON.parse(stored) as Partial<typeof EXPIRATION>) }
}

type Level = 'disabled' | 'private' | 'enabled' | 'public'

/** Participating is decided globally: 3 (spec core 8.10). */
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
  const policy = expirationPolicy(project.container_expiration_policy)
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

/** The description as HTML: what was rendered when it was written, or the plain words in a paragraph. */
export function shownDescription(text: string | null, html: string | null): string {
  if (html !== null) return html
  return text ? `<p>${escape(text)}</p>` : ''
}

/** Texts from before there was a column may hold anything. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/**
 * The full view of a project. One literal with every field, and `undefined` (which JSON leaves out) for what the reader
 * does not get: an object put together from parts or by loops over names loses its fast shape, and this is the
 * largest and most asked-for answer of all (measured: a third of the whole request).
 */
export function presentProject(view: ProjectView, at: Presentation) {
  const p = view.project
  const s = simple(view, at)
  return {
    id: s.id,
    description: s.description,
    name: s.name,
    name_with_namespace: s.name_with_namespace,
    path: s.path,
    path_with_namespace: s.path_with_namespace,
    created_at: s.created_at,
    default_branch: s.default_branch,
    tag_list: s.tag_list,
    topics: s.topics,
    ssh_url_to_repo: s.ssh_url_to_repo,
    http_url_to_repo: s.http_url_to_repo,
    web_url: s.web_url,
    readme_url: s.readme_url,
    forks_count: s.forks_count,
    avatar_url: s.avatar_url,
    star_count: s.star_count,
    last_activity_at: s.last_activity_at,
    namespace: s.namespace,
    repository_storage: s.repository_storage,
    license_url: s.license_url,
    license: s.license,
    custom_attributes: s.custom_attributes,
    _links: links(view, at),
    owner: ownerOf(p, at),
    empty_repo: p.empty_repo,
    archived: p.archived,
    issues_enabled: p.issues_access_level !== 'disabled',
    merge_requests_enabled: p.merge_requests_access_level !== 'disabled',
    wiki_enabled: p.wiki_access_level !== 'disabled',
    jobs_enabled: p.builds_access_level !== 'disabled',
    snippets_enabled: p.snippets_access_level !== 'disabled',
    container_registry_enabled: p.container_registry_access_level !== 'disabled',
    requirements_enabled: p.requirements_access_level !== 'disabled',
    security_and_compliance_enabled: p.security_and_compliance_access_level !== 'disabled',
    service_desk_address: null,
    can_create_merge_request_in: view.createsMergeRequests,
    emails_disabled: p.emails_disabled,
    description_html: shownDescription(p.description, p.description_html),
    allow_merge_on_skipped_pipeline: p.allow_merge_on_skipped_pipeline,
    auto_devops_enabled: view.autoDevops,
    container_expiration_policy: expirationOf(p),
    open_issues_count: view.readsIssues ? p.open_issues_count : undefined,
    runners_token: view.runnersToken,
    import_error: view.maintains ? p.import_error : undefined,
    issues_access_level: p.issues_access_level as Level,
    repository_access_level: p.repository_access_level as Level,
    merge_requests_access_level: p.merge_requests_access_level as Level,
    forking_access_level: p.forking_access_level as Level,
    wiki_access_level: p.wiki_access_level as Level,
    builds_access_level: p.builds_access_level as Level,
    snippets_access_level: p.snippets_access_level as Level,
    pages_access_level: p.pages_access_level as Level,
    operations_access_level: p.operations_access_level as Level,
    analytics_access_level: p.analytics_access_level as Level,
    container_registry_access_level: p.container_registry_access_level as Level,
    security_and_compliance_access_level: p.security_and_compliance_access_level as Level,
    releases_access_level: p.releases_access_level as Level,
    environments_access_level: p.environments_access_level as Level,
    feature_flags_access_level: p.feature_flags_access_level as Level,
    infrastructure_access_level: p.infrastructure_access_level as Level,
    monitor_access_level: p.monitor_access_level as Level,
    requirements_access_level: p.requirements_access_level as Level,
    package_registry_access_level: p.package_registry_access_level as Level,
    shared_runners_enabled: p.shared_runners_enabled,
    group_runners_enabled: p.group_runners_enabled,
    lfs_enabled: p.lfs_enabled,
    packages_enabled: p.packages_enabled,
    request_access_enabled: p.request_access_enabled,
    public_jobs: p.public_jobs,
    resolve_outdated_diff_discussions: p.resolve_outdated_diff_discussions,
    only_allow_merge_if_pipeline_succeeds: p.only_allow_merge_if_pipeline_succeeds,
    only_allow_merge_if_all_discussions_are_resolved: p.only_allow_merge_if_all_discussions_are_resolved,
    remove_source_branch_after_merge: p.remove_source_branch_after_merge,
    printing_merge_request_link_enabled: p.printing_merge_request_link_enabled,
    enforce_auth_checks_on_uploads: p.enforce_auth_checks_on_uploads,
    autoclose_referenced_issues: p.autoclose_referenced_issues,
    service_desk_enabled: p.service_desk_enabled,
    ci_forward_deployment_enabled: p.ci_forward_deployment_enabled,
    ci_separated_caches: p.ci_separated_caches,
    ci_job_token_scope_enabled: p.ci_job_token_scope_enabled,
    ci_allow_fork_pipelines_to_run_in_parent_project: p.ci_allow_fork_pipelines_to_run_in_parent_project,
    keep_latest_artifact: p.keep_latest_artifact,
    restrict_user_defined_variables: p.restrict_user_defined_variables,
    show_default_award_emojis: p.show_default_award_emojis,
    warn_about_potentially_unwanted_characters: p.warn_about_potentially_unwanted_characters,
    visibility: p.visibility as Visibility,
    creator_id: p.creator_id,
    updated_at: p.updated_at,
    ci_config_path: p.ci_config_path,
    merge_method: p.merge_method as 'merge' | 'rebase_merge' | 'ff',
    squash_option: p.squash_option as 'never' | 'always' | 'default_on' | 'default_off',
    suggestion_commit_message: p.suggestion_commit_message,
    merge_commit_template: p.merge_commit_template,
    squash_commit_template: p.squash_commit_template,
    issue_branch_template: p.issue_branch_template,
    ci_default_git_depth: p.ci_default_git_depth,
    build_git_strategy: p.build_git_strategy as 'fetch' | 'clone',
    build_timeout: p.build_timeout,
    auto_cancel_pending_pipelines: p.auto_cancel_pending_pipelines as 'enabled' | 'disabled',
    auto_devops_deploy_strategy: p.auto_devops_deploy_strategy as
      | 'continuous'
      | 'manual'
      | 'timed_incremental',
    import_url: p.import_url === null ? null : withoutCredentials(p.import_url),
    import_type: p.import_type,
    import_status: p.import_status,
    forked_from_project: view.parent && simple(view.parent, at),
    mr_default_target_self: view.parent && p.mr_default_target_self,
    shared_with_groups: view.shares,
    runner_token_expiration_interval: p.runner_token_expiration_interval,
    approvals_before_merge: p.approvals_before_merge,
    mirror: p.mirror,
    mirror_user_id: p.mirror ? p.mirror_user_id : undefined,
    mirror_trigger_builds: p.mirror ? p.mirror_trigger_builds : undefined,
    only_mirror_protected_branches: p.mirror ? p.only_mirror_protected_branches : undefined,
    mirror_overwrites_diverged_branches: p.mirror ? p.mirror_overwrites_diverged_branches : undefined,
    external_authorization_classification_label: p.external_authorization_classification_label,
    marked_for_deletion_at: p.marked_for_deletion_at,
    marked_for_deletion_on: p.marked_for_deletion_at,
    compliance_frameworks: [],
    issues_template: p.issues_template,
    merge_requests_template: p.merge_requests_template,
    merge_pipelines_enabled: p.merge_pipelines_enabled,
    merge_trains_enabled: p.merge_trains_enabled,
    statistics: view.statistics ? statisticsOf(p) : undefined,
    permissions: permissionsOf(view),
  }
}

/** The fields that name a project. */
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

function licenseUrl(project: Project, webUrl: string, license: FoundLicense): string {
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
    // `undefined` is left out of JSON: only readers of the code get these.
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
    license: view.license === undefined ? undefined : (view.license?.shown ?? null),
    custom_attributes: view.attributes,
  }
}
