/** The only plan. */
export const PLAN = 'default'

const GIGABYTE = 1024 ** 3
const MEGABYTE = 1024 ** 2

/** The default plan limits in the contract's order (spec administration 13). For most of them 0 means no limit. */
export const DEFAULTS = {
  ci_pipeline_size: 0,
  ci_active_jobs: 0,
  ci_project_subscriptions: 2,
  ci_pipeline_schedules: 10,
  ci_needs_size_limit: 50,
  ci_registered_group_runners: 1000,
  ci_registered_project_runners: 1000,
  conan_max_file_size: 3 * GIGABYTE,
  generic_packages_max_file_size: 5 * GIGABYTE,
  helm_max_file_size: 5 * MEGABYTE,
  maven_max_file_size: 3 * GIGABYTE,
  npm_max_file_size: 500 * MEGABYTE,
  nuget_max_file_size: 500 * MEGABYTE,
  pypi_max_file_size: 3 * GIGABYTE,
  terraform_module_max_file_size: GIGABYTE,
  storage_size_limit: 0,
  pipeline_hierarchy_size: 1000,
} as const

export type LimitName = keyof typeof DEFAULTS
export type PlanLimits = Readonly<Record<LimitName, number>>
export const LIMIT_NAMES = Object.keys(DEFAULTS) as LimitName[]
