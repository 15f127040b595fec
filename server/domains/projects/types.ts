import type { Selectable } from 'kysely'

import type { ProjectsTable } from '../../db/schema.gen.ts'
import type { FeatureLevel } from '../../policy/ability.ts'

/** The stored columns of a project. */
export type ProjectColumns = Omit<Selectable<ProjectsTable>, 'id'>

/** A project as stored, together with what every use needs of its namespace and of that namespace's owner. */
export interface Project extends Selectable<ProjectsTable> {
  readonly namespace_kind: 'user' | 'group'
  readonly namespace_name: string
  readonly namespace_path: string
  readonly namespace_full_path: string
  readonly namespace_full_name: string
  readonly namespace_parent_id: number | null
  readonly namespace_avatar: string | null
  /** Ids of the namespaces from the top down to its own, as a JSON array. */
  readonly lineage: string
  /** What the nearest group above says about pipelines without configuration; null where none does. */
  readonly namespace_auto_devops: boolean | null
  /** Owner of the personal namespace; null in a group. */
  readonly owner_id: number | null
  readonly owner_username: string | null
  readonly owner_name: string | null
  readonly owner_state: string | null
  readonly owner_avatar: string | null
}

/** Features of a project with an access level of their own, in the column `<name>_access_level`. */
export const FEATURES = [
  'issues',
  'repository',
  'merge_requests',
  'forking',
  'wiki',
  'builds',
  'snippets',
  'pages',
  'operations',
  'analytics',
  'container_registry',
  'security_and_compliance',
  'releases',
  'environments',
  'feature_flags',
  'infrastructure',
  'monitor',
  'requirements',
  'package_registry',
] as const

/** Name of a feature. */
export type Feature = (typeof FEATURES)[number]

/** How open a feature of a project is. Published pages may be open to more people than the project; the feature is not. */
export function featureLevel(project: Project, feature: Feature): FeatureLevel {
  const level = project[`${feature}_access_level`]
  return level === 'public' ? 'enabled' : (level as FeatureLevel)
}

/** `group/sub/project`, as in addresses. */
export function fullPath(project: Pick<Project, 'namespace_full_path' | 'path'>): string {
  return `${project.namespace_full_path}/${project.path}`
}

/**
 * Names that `template_name` takes without a group of templates. The domain `templates` holds their files; the names are
 * here so that a request with an unknown one is refused at once.
 */
export const BUILT_IN_TEMPLATES = [
  'static_site',
  'docs_site',
  'node_library',
  'python_package',
  'go_module',
  'rust_crate',
  'rails',
  'ci_example',
] as const

/** One of them. */
export type BuiltInTemplate = (typeof BUILT_IN_TEMPLATES)[number]

/** Whether a name is one of them. */
export function isBuiltInTemplate(name: string | undefined): name is BuiltInTemplate {
  return (BUILT_IN_TEMPLATES as readonly string[]).includes(name ?? '')
}
