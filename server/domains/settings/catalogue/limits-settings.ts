import type { z } from 'zod'
import { flag, line, integer, integerOrNull } from './params-kinds.ts'
import { list } from './params-lists.ts'
import type { Setting, TypedSetting } from './types.ts'

const perMinute = (initial: number, label: string, help: string) =>
  integer(initial, label, help, { unit: 'per minute', min: 0 })

/** Limits of sizes. */
export const sizes = {
  max_attachment_size: integer(
    10,
    'Maximum attachment size',
    'Limit for files in comments and descriptions.',
    {
      unit: 'MB',
      above: 0,
      max: 1_048_576,
    },
  ),
  snippet_size_limit: integer(
    52_428_800,
    'Maximum snippet size',
    'Limit for the content of each file. 0 means no limit.',
    {
      unit: 'bytes',
      min: 0,
    },
  ),
  wiki_page_max_content_bytes: integer(
    52_428_800,
    'Maximum wiki page size',
    'Limit for the text of a wiki page.',
    {
      unit: 'bytes',
      min: 1024,
    },
  ),
  max_import_size: integer(0, 'Maximum import size', 'Limit for uploaded archives. 0 means no limit.', {
    unit: 'MB',
    min: 0,
  }),
  max_export_size: integer(0, 'Maximum export size', 'Larger exports fail. 0 means no limit.', {
    unit: 'MB',
    min: 0,
  }),
  max_import_remote_file_size: integer(
    10_240,
    'Maximum import remote file size',
    'Limit for archives imported from a URL. 0 means no limit.',
    {
      unit: 'MB',
      min: 0,
    },
  ),
  max_decompressed_archive_size: integer(
    25_600,
    'Maximum decompressed archive size',
    'Limit for the unpacked content of an imported archive. 0 means no limit.',
    {
      unit: 'MB',
      min: 0,
    },
  ),
  max_terraform_state_size_bytes: integer(0, 'Maximum Terraform state size', '0 means no limit.', {
    unit: 'bytes',
    min: 0,
    effect: 'echo',
  }),
  max_pages_size: integer(100, 'Maximum size of pages', '0 means no limit.', {
    unit: 'MB',
    min: 0,
    under: 1_048_576,
    effect: 'echo',
  }),
} satisfies Record<string, Setting>

/** Rate limits. */
export const rates = {
  issues_create_limit: perMinute(300, 'Maximum issues created per user', '0 means no limit.'),
  notes_create_limit: perMinute(300, 'Maximum comments created per user', '0 means no limit.'),
  notes_create_limit_allowlist: list(
    [],
    'Users to exclude from the comment rate limit',
    'List of usernames.',
    {
      max: 100,
      empty: 'none',
    },
  ),
  search_rate_limit: perMinute(30, 'Maximum searches per user', '0 means no limit.'),
  search_rate_limit_unauthenticated: perMinute(
    10,
    'Maximum unauthenticated searches per IP address',
    '0 means no limit.',
  ),
  user_email_lookup_limit: integer(
    60,
    'Maximum email lookups per user',
    'Replaced by the rate limit for searches.',
    {
      min: 0,
      effect: 'echo',
    },
  ),
  users_get_by_id_limit: integer(
    300,
    'Maximum user lookups per user',
    'Limit for requests to GET /users/:id. 0 means no limit.',
    {
      unit: 'per 10 min',
      min: 0,
    },
  ),
  users_get_by_id_limit_allowlist: list(
    [],
    'Users to exclude from the user lookup rate limit',
    'List of usernames.',
    {
      max: 100,
      empty: 'none',
    },
  ),
  projects_api_rate_limit_unauthenticated: integer(
    400,
    'Maximum unauthenticated project list requests per IP address',
    'Limit for requests to GET /projects. 0 means no limit.',
    { unit: 'per 10 min', min: 0 },
  ),
  raw_blob_request_limit: perMinute(
    300,
    'Maximum raw blob requests per file',
    'Does not apply to the API. 0 means no limit.',
  ),
  project_jobs_api_rate_limit: perMinute(
    600,
    'Maximum project job list requests per user',
    'Limit for requests to GET /projects/:id/jobs. 0 means no limit.',
  ),
  project_import_limit: perMinute(6, 'Maximum project imports per user', '0 means no limit.'),
  project_export_limit: perMinute(6, 'Maximum project exports per user', '0 means no limit.'),
  project_download_export_limit: perMinute(
    1,
    'Maximum project export downloads per user',
    '0 means no limit.',
  ),
  group_import_limit: perMinute(6, 'Maximum group imports per user', '0 means no limit.'),
  group_export_limit: perMinute(6, 'Maximum group exports per user', '0 means no limit.'),
  group_download_export_limit: perMinute(1, 'Maximum group export downloads per user', '0 means no limit.'),
  autocomplete_users: perMinute(300, 'Maximum user autocomplete requests per user', '0 means no limit.'),
  autocomplete_users_unauthenticated: perMinute(
    100,
    'Maximum unauthenticated user autocomplete requests per IP address',
    '0 means no limit.',
  ),
  shell_operation_limit: perMinute(
    600,
    'Maximum Git operations over SSH',
    'For each user and project. 0 means no limit.',
  ),
  security_approval_policies_limit: integer(5, 'Maximum security approval policies per project', '', {
    min: 1,
    effect: 'echo',
  }),
  throttle_incident_management_notification_enabled: flag(
    false,
    'Limit inbound alerts',
    'Limits the number of monitoring alerts for each project.',
    { effect: 'echo' },
  ),
  throttle_incident_management_notification_per_period: integerOrNull(
    3600,
    'Maximum inbound alerts per period',
    '',
    {
      above: 0,
      effect: 'echo',
    },
  ),
  throttle_incident_management_notification_period_in_seconds: integerOrNull(
    3600,
    'Inbound alerts rate limit period',
    '',
    {
      unit: 'seconds',
      above: 0,
      effect: 'echo',
    },
  ),
  rate_limiting_response_text: line(
    null,
    'Plain-text response to rate-limited requests',
    'Body of responses with status 429.',
    {
      empty: 'Retry later',
    },
  ),
} satisfies Record<string, Setting>
type ThrottleSettings<Prefix extends string> = {
  [Name in `throttle_${Prefix}_enabled`]: TypedSetting<z.ZodBoolean>
} & {
  [
    Name in `throttle_${Prefix}_period_in_seconds` | `throttle_${Prefix}_requests_per_period`
  ]: TypedSetting<z.ZodInt>
}
/** The three settings of one throttle (spec administration 1.4). */
function throttle<const Prefix extends string>(
  prefix: Prefix,
  [seconds, requests]: readonly [number, number],
  label: string,
  help: string,
  enabled = false,
): ThrottleSettings<Prefix> {
  const name = `throttle_${prefix}`
  const below = `${name}_enabled`
  return {
    [below]: flag(enabled, label, help, {
      needs: [`${name}_period_in_seconds`, `${name}_requests_per_period`],
    }),
    [`${name}_requests_per_period`]: integer(
      requests,
      'Maximum requests per period',
      'Further requests receive 429.',
      {
        above: 0,
        below,
      },
    ),
    [`${name}_period_in_seconds`]: integer(
      seconds,
      'Rate limit period',
      'The count restarts after this time.',
      {
        unit: 'seconds',
        above: 0,
        below,
      },
    ),
  } as ThrottleSettings<Prefix>
}
/** Rate limits of requests for each user or IP address. */
export const throttles = {
  ...throttle(
    'unauthenticated',
    [3600, 3600],
    'Enable unauthenticated web request rate limit',
    'Limits web requests without a session for each IP address.',
  ),
  ...throttle(
    'unauthenticated_api',
    [3600, 3600],
    'Enable unauthenticated API request rate limit',
    'Limits API requests without a token for each IP address.',
  ),
  ...throttle(
    'unauthenticated_packages_api',
    [15, 800],
    'Enable unauthenticated packages API rate limit',
    'Limits package requests without a token for each IP address.',
  ),
  ...throttle(
    'unauthenticated_files_api',
    [15, 125],
    'Enable unauthenticated files API rate limit',
    'Limits repository file requests without a token for each IP address.',
  ),
  ...throttle(
    'unauthenticated_deprecated_api',
    [3600, 1800],
    'Enable unauthenticated deprecated API rate limit',
    'Limits requests to deprecated endpoints without a token for each IP address.',
  ),
  ...throttle(
    'unauthenticated_git_lfs',
    [60, 1000],
    'Enable unauthenticated Git LFS rate limit',
    'Limits Git LFS requests without a token for each IP address.',
  ),
  ...throttle(
    'authenticated_api',
    [3600, 7200],
    'Enable authenticated API request rate limit',
    'Limits API requests with a token for each user.',
  ),
  ...throttle(
    'authenticated_web',
    [3600, 7200],
    'Enable authenticated web request rate limit',
    'Limits web requests of signed-in users for each user.',
  ),
  ...throttle(
    'authenticated_packages_api',
    [15, 1000],
    'Enable authenticated packages API rate limit',
    'Limits package requests for each user.',
  ),
  ...throttle(
    'authenticated_files_api',
    [15, 500],
    'Enable authenticated files API rate limit',
    'Limits repository file requests to the API for each user.',
  ),
  ...throttle(
    'authenticated_deprecated_api',
    [3600, 3600],
    'Enable authenticated deprecated API rate limit',
    'Limits requests to deprecated endpoints for each user.',
  ),
  ...throttle(
    'authenticated_git_lfs',
    [60, 1000],
    'Enable authenticated Git LFS rate limit',
    'Limits Git LFS requests for each user.',
  ),
  // Enabled by default, so that guessing credentials is slow on every instance.
  ...throttle(
    'protected_paths',
    [60, 10],
    'Enable protected paths rate limit',
    'Limits failed sign-ins and POST requests to the protected paths for each IP address.',
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
    'Protected paths',
    'Rate limits requests to paths that start with an entry. /users/sign_in also covers sign-in.',
    { max: 100, empty: 'none', below: 'throttle_protected_paths_enabled' },
  ),
} satisfies Record<string, Setting>
