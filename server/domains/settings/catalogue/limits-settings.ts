import type { z } from 'zod'
import { flag, line, whole, wholeOrNone } from './params-kinds.ts'
import { list } from './params-lists.ts'
import type { Setting, Typed } from './types.ts'

const aMinute = (initial: number, label: string, help: string) =>
  whole(initial, label, help, { unit: 'per minute', min: 0 })

/** Limits of sizes. */
export const sizes = {
  max_attachment_size: whole(10, 'Largest upload', 'Files in comments and descriptions.', {
    unit: 'MB',
    above: 0,
    max: 1_048_576,
  }),
  snippet_size_limit: whole(52_428_800, 'Largest snippet', 'The content of one file; 0 for any.', {
    unit: 'bytes',
    min: 0,
  }),
  wiki_page_max_content_bytes: whole(52_428_800, 'Largest wiki page', 'Its text.', {
    unit: 'bytes',
    min: 1024,
  }),
  max_import_size: whole(0, 'Largest import', 'The file of an exported project; 0 for no limit.', {
    unit: 'MB',
    min: 0,
  }),
  max_export_size: whole(0, 'Largest export', 'Larger ones fail; 0 for no limit.', { unit: 'MB', min: 0 }),
  max_import_remote_file_size: whole(10_240, 'Largest import from an address', '0 for no limit.', {
    unit: 'MB',
    min: 0,
  }),
  max_decompressed_archive_size: whole(25_600, 'Largest import when unpacked', '0 for no limit.', {
    unit: 'MB',
    min: 0,
  }),
  max_terraform_state_size_bytes: whole(0, 'Largest state of infrastructure', '0 for no limit.', {
    unit: 'bytes',
    min: 0,
    effect: 'echo',
  }),
  max_pages_size: whole(100, 'Largest site of a project', '0 for no limit.', {
    unit: 'MB',
    min: 0,
    under: 1_048_576,
    effect: 'echo',
  }),
} satisfies Record<string, Setting>

/** How often something may be done. */
export const rates = {
  issues_create_limit: aMinute(300, 'Issues that one user opens', '0 for no limit.'),
  notes_create_limit: aMinute(300, 'Comments that one user writes', '0 for no limit.'),
  notes_create_limit_allowlist: list([], 'Users who may write any number', 'By their names.', {
    max: 100,
    empty: 'none',
  }),
  search_rate_limit: aMinute(30, 'Searches of one user', '0 for no limit.'),
  search_rate_limit_unauthenticated: aMinute(
    10,
    'Searches of one address',
    'Without a sign-in; 0 for no limit.',
  ),
  user_email_lookup_limit: whole(60, 'Look-ups of addresses', 'An older form of the limit of searches.', {
    min: 0,
    effect: 'echo',
  }),
  users_get_by_id_limit: whole(300, 'Users that one user looks up', '0 for no limit.', {
    unit: 'per 10 min',
    min: 0,
  }),
  users_get_by_id_limit_allowlist: list([], 'Users who may look up any number', 'By their names.', {
    max: 100,
    empty: 'none',
  }),
  projects_api_rate_limit_unauthenticated: whole(
    400,
    'Lists of projects for one address',
    'Without a sign-in; 0 for no limit.',
    { unit: 'per 10 min', min: 0 },
  ),
  raw_blob_request_limit: aMinute(300, 'Times that one file is given', 'Outside of the API; 0 for no limit.'),
  project_jobs_api_rate_limit: aMinute(600, 'Lists of jobs for one user', '0 for no limit.'),
  project_import_limit: aMinute(6, 'Imports of projects by one user', '0 for no limit.'),
  project_export_limit: aMinute(6, 'Exports of projects by one user', '0 for no limit.'),
  project_download_export_limit: aMinute(1, 'Downloads of exported projects', 'Of one user; 0 for no limit.'),
  group_import_limit: aMinute(6, 'Imports of groups by one user', '0 for no limit.'),
  group_export_limit: aMinute(6, 'Exports of groups by one user', '0 for no limit.'),
  group_download_export_limit: aMinute(1, 'Downloads of exported groups', 'Of one user; 0 for no limit.'),
  autocomplete_users: aMinute(300, 'Suggestions of users', 'For one user; 0 for no limit.'),
  autocomplete_users_unauthenticated: aMinute(
    100,
    'Suggestions of users without a sign-in',
    'For one address; 0 for no limit.',
  ),
  shell_operation_limit: aMinute(
    600,
    'Operations of git over SSH',
    'Of one user and project; 0 for no limit.',
  ),
  security_approval_policies_limit: whole(5, 'Policies of one project', 'For approvals.', {
    min: 1,
    effect: 'echo',
  }),
  throttle_incident_management_notification_enabled: flag(
    false,
    'Notifications of alerts are limited',
    'From monitoring.',
    { effect: 'echo' },
  ),
  throttle_incident_management_notification_per_period: wholeOrNone(3600, 'Alerts in a period', 'At most.', {
    above: 0,
    effect: 'echo',
  }),
  throttle_incident_management_notification_period_in_seconds: wholeOrNone(
    3600,
    'Length of that period',
    'Then counting begins anew.',
    {
      unit: 'seconds',
      above: 0,
      effect: 'echo',
    },
  ),
  rate_limiting_response_text: line(null, 'Answer to a throttled request', 'The text of the answer 429.', {
    empty: 'Retry later',
  }),
} satisfies Record<string, Setting>
type Three<Prefix extends string> = {
  [Name in `throttle_${Prefix}_enabled`]: Typed<z.ZodBoolean>
} & {
  [Name in `throttle_${Prefix}_period_in_seconds` | `throttle_${Prefix}_requests_per_period`]: Typed<z.ZodInt>
}
/** The three settings of one throttle (spec administration 1.4). */
function throttle<const Prefix extends string>(
  prefix: Prefix,
  [seconds, requests]: readonly [number, number],
  label: string,
  help: string,
  on = false,
): Three<Prefix> {
  const name = `throttle_${prefix}`
  const below = `${name}_enabled`
  return {
    [below]: flag(on, label, help, {
      needs: [`${name}_period_in_seconds`, `${name}_requests_per_period`],
    }),
    [`${name}_requests_per_period`]: whole(requests, 'Requests in a period', 'More are answered with 429.', {
      above: 0,
      below,
    }),
    [`${name}_period_in_seconds`]: whole(seconds, 'Length of a period', 'Then counting begins anew.', {
      unit: 'seconds',
      above: 0,
      below,
    }),
  } as Three<Prefix>
}
/** How many requests one user or one address may make. */

export const throttles = {
  ...throttle(
    'unauthenticated',
    [3600, 3600],
    'Pages for visitors are throttled',
    'Requests without a sign-in that are none of the API, by address.',
  ),
  ...throttle(
    'unauthenticated_api',
    [3600, 3600],
    'The API for visitors is throttled',
    'Requests without a token, by address.',
  ),
  ...throttle(
    'unauthenticated_packages_api',
    [15, 800],
    'Packages for visitors are throttled',
    'Requests without a token to the addresses of packages, by address.',
  ),
  ...throttle(
    'unauthenticated_files_api',
    [15, 125],
    'Files for visitors are throttled',
    'Requests without a token for files of repositories, by address.',
  ),
  ...throttle(
    'unauthenticated_deprecated_api',
    [3600, 1800],
    'Old parts of the API for visitors are throttled',
    'Requests without a token, by address.',
  ),
  ...throttle(
    'unauthenticated_git_lfs',
    [60, 1000],
    'Large files of git for visitors are throttled',
    'Requests without a token, by address.',
  ),
  ...throttle('authenticated_api', [3600, 7200], 'The API is throttled', 'Requests with a token, by user.'),
  ...throttle('authenticated_web', [3600, 7200], 'Pages are throttled', 'Requests of sessions, by user.'),
  ...throttle(
    'authenticated_packages_api',
    [15, 1000],
    'Packages are throttled',
    'Requests to the addresses of packages, by user.',
  ),
  ...throttle(
    'authenticated_files_api',
    [15, 500],
    'Files are throttled',
    'Requests for files of repositories through the API, by user.',
  ),
  ...throttle(
    'authenticated_deprecated_api',
    [3600, 3600],
    'Old parts of the API are throttled',
    'Requests with a token, by user.',
  ),
  ...throttle(
    'authenticated_git_lfs',
    [60, 1000],
    'Large files of git are throttled',
    'Requests of git for such files, by user.',
  ),
  // On from the start: an instance that nobody looks after should not be guessed open.
  ...throttle(
    'protected_paths',
    [60, 10],
    'Sign-ins that fail are throttled',
    'And whatever else is sent to the addresses below, by address.',
    true,
  ),
  protected_paths: list(
    [
      '/users/password',
      '/users/sign_in',
      '/api/v3/session',
      '/api/v4/session',
      '/users',
      '/users/confirmation',
      '/unsubscribes/',
      '/admin/session',
    ],
    'Addresses of that throttle',
    'Whatever is sent to these paths and to those that begin with them; /users/sign_in stands for signing in.',
    { max: 100, empty: 'none', below: 'throttle_protected_paths_enabled' },
  ),
} satisfies Record<string, Setting>
