import type { Selectable } from 'kysely'

import type { ProjectsTable, UsersTable } from '../../db/schema.gen.ts'
import type { FeatureLevel } from '../../policy/ability.ts'

/** The stored columns of a project. */
export type ProjectColumns = Omit<Selectable<ProjectsTable>, 'id'>

/** A stored project, with columns of its namespace and of the namespace's owner. */
export interface Project extends Selectable<ProjectsTable> {
  readonly namespace_kind: 'user' | 'group'
  readonly namespace_name: string
  readonly namespace_path: string
  readonly namespace_full_path: string
  readonly namespace_full_name: string
  readonly namespace_parent_id: number | null
  readonly namespace_avatar: string | null
  /** Ids of the namespaces from the top level down to the project's own, as a JSON array. */
  readonly lineage: string
  /** The Auto DevOps setting of the nearest parent group; null if none has one. */
  readonly namespace_auto_devops: boolean | null
  /** Owner of the personal namespace; null in a group. */
  readonly owner_id: number | null
  readonly owner_username: string | null
  readonly owner_name: string | null
  readonly owner_state: Selectable<UsersTable>['state'] | null
  readonly owner_avatar: string | null
}

/** Features of a project with their own access level, in the column `<name>_access_level`. */
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

/** The name of a feature. */
export type Feature = (typeof FEATURES)[number]

/** Returns the access level of a feature. `public`, which publishes pages and packages, counts as `enabled`. */
export function featureLevel(project: Project, feature: Feature): FeatureLevel {
  const level = project[`${feature}_access_level`]
  return level === 'public' ? 'enabled' : (level as FeatureLevel)
}

/** Returns `group/sub/project`, as in addresses. */
export function fullPath(project: Pick<Project, 'namespace_full_path' | 'path'>): string {
  return `${project.namespace_full_path}/${project.path}`
}

/**
 * The names of the built-in templates, for `template_name`. The domain `import_export` has their files; the names are
 * here so that a request with an unknown name fails at once.
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

/** The name of a built-in template. */
export type BuiltInTemplate = (typeof BUILT_IN_TEMPLATES)[number]

/** Returns true for the name of a built-in template. */
export function isBuiltInTemplate(name: string | undefined): name is BuiltInTemplate {
  return (BUILT_IN_TEMPLATES as readonly string[]).includes(name ?? '')
}
