import { flag, line, whole, wholeOrNone } from './kinds.ts'
import { list } from './lists.ts'
import type { Setting } from './setting.ts'

const aMinute = (initial: number, label: string, help: string) =>
  whole(initial, label, help, { unit: 'per minute', min: 0 })

/** How large things may be. */
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
  rate_limiting_response_text: line(null, 'What a throttled request is told', 'The text of the answer 429.', {
    empty: 'Retry later',
  }),
} satisfies Record<string, Setting>
