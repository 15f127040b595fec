import type { Presentation } from '../../http/entity.ts'
import { sshAddress } from '../../lib/ssh/address.ts'
import { NamespaceBasic } from '../namespaces/entity.ts'
import type { FoundLicense } from './license.ts'
import { fullPath, type Project as ProjectRow } from './project.ts'
import type { ProjectView } from './views.ts'

/** The fields that name a project. */
export function identity(project: ProjectRow) {
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

function readmeUrl(project: ProjectRow, webUrl: string): string | null {
  if (project.readme_path === null) return null
  return `${webUrl}/-/blob/${project.default_branch}/${project.readme_path.split('/').map(encodeURIComponent).join('/')}`
}

function licenseUrl(project: ProjectRow, webUrl: string, license: FoundLicense): string {
  return `${webUrl}/-/blob/${project.default_branch}/${encodeURIComponent(license.path)}`
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
