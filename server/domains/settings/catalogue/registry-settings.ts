import { flag, line, whole } from './params-kinds.ts'
import { numbers } from './params-lists.ts'
import type { About, Bounds, Setting } from './types.ts'

/** What is stored for other tools and changes nothing here. */
const on = (label: string, help: string, about: About = {}) =>
  flag(true, label, help, { effect: 'echo', ...about })
const off = (label: string, help: string, about: About = {}) =>
  flag(false, label, help, { effect: 'echo', ...about })
const text = (label: string, help: string, about: About & { max?: number } = {}) =>
  line(null, label, help, { effect: 'echo', empty: 'none', max: 1024, ...about })
const count = (initial: number, label: string, help: string, about: About & Bounds = {}) =>
  whole(initial, label, help, { effect: 'echo', ...about })

/** Packages, images and sites of projects. */
export const registry = {
  maven_package_requests_forwarding: on('Missing Maven packages are asked elsewhere', 'In their registry.'),
  npm_package_requests_forwarding: on('Missing npm packages are asked elsewhere', 'In their registry.'),
  pypi_package_requests_forwarding: on('Missing PyPI packages are asked elsewhere', 'In their registry.'),
  nuget_skip_metadata_url_validation: off('Addresses in NuGet packages are not checked', 'Any are taken.'),
  package_registry_allow_anyone_to_pull_option: on('Packages of private projects can be open', 'By choice.'),
  package_registry_cleanup_policies_worker_capacity: count(2, 'Packages tidied up at once', '0 for none.', {
    min: 0,
  }),
  package_metadata_purl_types: numbers([], 'Kinds of packages that are described', 'By their numbers.', {
    effect: 'echo',
    empty: 'none',
  }),
  container_registry_token_expire_delay: count(5, 'Tokens of the registry end after', 'Of images.', {
    unit: 'minutes',
    above: 0,
  }),
  container_expiration_policies_enable_historic_entries: off('Old projects tidy up images', 'Too.'),
  container_registry_expiration_policies_caching: on('What was found is kept', 'While images are tidied up.'),
  container_registry_cleanup_tags_service_max_list_size: count(200, 'Tags removed at once', 'Of images.', {
    min: 0,
  }),
  container_registry_delete_tags_service_timeout: count(250, 'Removing tags takes', 'At most.', {
    unit: 'seconds',
    min: 0,
  }),
  container_registry_expiration_policies_worker_capacity: count(
    4,
    'Images tidied up at once',
    '0 for none.',
    {
      min: 0,
    },
  ),
  container_registry_import_created_before: text('Images made before', 'Are taken over.', { max: 64 }),
  container_registry_import_max_retries: count(3, 'Times that it is tried', 'To take one over.', { min: 0 }),
  container_registry_import_start_max_retries: count(50, 'Times that it is begun', 'At most.', { min: 0 }),
  container_registry_import_max_step_duration: count(300, 'One step takes', 'At most.', {
    unit: 'seconds',
    min: 0,
  }),
  container_registry_import_max_tags_count: count(100, 'Tags of what is taken over', 'At most.', { min: 0 }),
  container_registry_import_target_plan: text('Plan whose images are taken over', 'By its name.'),
  pages_domain_verification_enabled: on('Domains of sites are verified', 'By a record of names.'),
  force_pages_access_control: off('Sites are never public', 'Whatever their project says.'),
  max_pages_custom_domains_per_project: count(0, 'Domains of a site', '0 for no limit.', { min: 0 }),
} satisfies Record<string, Setting>

/** Moving projects from and to other instances. */
export const transfers = {
  bulk_import_enabled: flag(
    false,
    'Groups and projects move over from other instances',
    'Directly, without a file; both instances have to allow it.',
  ),
  bulk_import_max_download_file_size: whole(5120, 'Largest file that is fetched then', '0 for any.', {
    unit: 'MB',
    min: 0,
  }),
  bulk_import_concurrent_pipeline_batch_limit: count(25, 'Parts fetched at once', 'At most.', { min: 1 }),
  concurrent_github_import_jobs_limit: count(
    1000,
    'Imports at once',
    'From the first of the other hosts; further ones wait for their turn.',
    { min: 1, effect: 'here' },
  ),
  concurrent_bitbucket_import_jobs_limit: count(100, 'Work of imports at once', 'From the second source.', {
    min: 1,
  }),
  concurrent_bitbucket_server_import_jobs_limit: count(100, 'Work of imports at once', 'From its server.', {
    min: 1,
  }),
  decompress_archive_file_timeout: count(210, 'Unpacking takes', 'At most; 0 for any time.', {
    unit: 'seconds',
    min: 0,
  }),
} satisfies Record<string, Setting>
