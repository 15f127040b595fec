import { flag, line, integer } from './params-kinds.ts'
import { numbers } from './params-lists.ts'
import type { SettingOptions, Bounds, Setting } from './types.ts'

// These functions declare settings that are only stored for the API and have no effect.
const on = (label: string, help: string, about: SettingOptions = {}) =>
  flag(true, label, help, { effect: 'echo', ...about })
const off = (label: string, help: string, about: SettingOptions = {}) =>
  flag(false, label, help, { effect: 'echo', ...about })
const text = (label: string, help: string, about: SettingOptions & { max?: number } = {}) =>
  line(null, label, help, { effect: 'echo', empty: 'none', max: 1024, ...about })
const count = (initial: number, label: string, help: string, about: SettingOptions & Bounds = {}) =>
  integer(initial, label, help, { effect: 'echo', ...about })

/** Packages, container images and pages of projects. */
export const registry = {
  maven_package_requests_forwarding: on(
    'Forward Maven package requests',
    'Forwards requests for missing packages to Maven Central.',
  ),
  npm_package_requests_forwarding: on(
    'Forward npm package requests',
    'Forwards requests for missing packages to the npm registry.',
  ),
  pypi_package_requests_forwarding: on(
    'Forward PyPI package requests',
    'Forwards requests for missing packages to PyPI.',
  ),
  nuget_skip_metadata_url_validation: off('Skip metadata URL validation for NuGet packages', ''),
  package_registry_allow_anyone_to_pull_option: on(
    'Anyone can pull from the package registry',
    'Private projects can offer public packages.',
  ),
  package_registry_cleanup_policies_worker_capacity: count(
    2,
    'Package registry cleanup workers',
    '0 disables the cleanup.',
    {
      min: 0,
    },
  ),
  package_metadata_purl_types: numbers([], 'Package registry metadata to sync', 'IDs of the package types.', {
    effect: 'echo',
    empty: 'none',
  }),
  container_registry_token_expire_delay: count(5, 'Container registry token duration', '', {
    unit: 'minutes',
    above: 0,
  }),
  container_expiration_policies_enable_historic_entries: off(
    'Enable container image cleanup for older projects',
    '',
  ),
  container_registry_expiration_policies_caching: on('Enable container expiration caching', ''),
  container_registry_cleanup_tags_service_max_list_size: count(
    200,
    'Maximum container image tags deleted at once',
    '',
    {
      min: 0,
    },
  ),
  container_registry_delete_tags_service_timeout: count(250, 'Cleanup policy maximum processing time', '', {
    unit: 'seconds',
    min: 0,
  }),
  container_registry_expiration_policies_worker_capacity: count(
    4,
    'Container image cleanup workers',
    '0 disables the cleanup.',
    {
      min: 0,
    },
  ),
  container_registry_import_created_before: text(
    'Container registry import: created before',
    'Imports only older images.',
    { max: 64 },
  ),
  container_registry_import_max_retries: count(3, 'Container registry import: maximum retries', '', {
    min: 0,
  }),
  container_registry_import_start_max_retries: count(
    50,
    'Container registry import: maximum start retries',
    '',
    { min: 0 },
  ),
  container_registry_import_max_step_duration: count(
    300,
    'Container registry import: maximum step duration',
    '',
    {
      unit: 'seconds',
      min: 0,
    },
  ),
  container_registry_import_max_tags_count: count(100, 'Container registry import: maximum tags', '', {
    min: 0,
  }),
  container_registry_import_target_plan: text(
    'Container registry import: target plan',
    'Name of the plan with the images to import.',
  ),
  pages_domain_verification_enabled: on(
    'Require users to prove ownership of custom domains',
    'Verifies domains of Pages sites with a DNS record.',
  ),
  force_pages_access_control: off('Disable public access to Pages sites', ''),
  max_pages_custom_domains_per_project: count(0, 'Maximum custom domains per project', '0 means no limit.', {
    min: 0,
  }),
} satisfies Record<string, Setting>

/** Imports and exports. */
export const importExport = {
  bulk_import_enabled: flag(
    false,
    'Allow migrating groups and projects by direct transfer',
    'Both instances must enable it.',
  ),
  bulk_import_max_download_file_size: integer(
    5120,
    'Maximum direct transfer download size',
    '0 means no limit.',
    {
      unit: 'MB',
      min: 0,
    },
  ),
  bulk_import_concurrent_pipeline_batch_limit: count(
    25,
    'Maximum simultaneous batches of direct transfer',
    '',
    { min: 1 },
  ),
  concurrent_github_import_jobs_limit: count(
    1000,
    'Maximum simultaneous import jobs (GitHub)',
    'Additional imports wait until others finish.',
    { min: 1, effect: 'here' },
  ),
  concurrent_bitbucket_import_jobs_limit: count(
    100,
    'Maximum simultaneous import jobs (Bitbucket Cloud)',
    '',
    {
      min: 1,
    },
  ),
  concurrent_bitbucket_server_import_jobs_limit: count(
    100,
    'Maximum simultaneous import jobs (Bitbucket Server)',
    '',
    {
      min: 1,
    },
  ),
  decompress_archive_file_timeout: count(
    210,
    'Timeout for decompressing archived files',
    '0 means no timeout.',
    {
      unit: 'seconds',
      min: 0,
    },
  ),
} satisfies Record<string, Setting>
