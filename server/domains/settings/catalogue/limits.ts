import { z } from 'zod'

import { bool, int, list, text } from '../../../http/params.ts'
import { setting, type Setting } from './setting.ts'

/** How much and how often. */
export const limits = {
  raw_blob_request_limit: setting(
    int({ min: 0 }).describe('Times a minute that one file is given outside of the API; 0 for no limit'),
    z.int(),
    300,
  ),
  issues_create_limit: setting(
    int({ min: 0 }).describe('Issues a minute that one user may open; 0 for no limit'),
    z.int(),
    300,
  ),
  diff_max_patch_bytes: setting(
    int({ min: 204_800, max: 512_000 }).describe('Bytes of the difference of one file that are shown'),
    z.int(),
    204_800,
  ),
  diff_max_files: setting(
    int({ min: 1000, max: 3000 }).describe('Files of one difference that are shown'),
    z.int(),
    1000,
  ),
  diff_max_lines: setting(
    int({ min: 50_000, max: 100_000 }).describe('Lines of one difference that are shown'),
    z.int(),
    50_000,
  ),
  users_get_by_id_limit: setting(
    int({ min: 0 }).describe(
      'Requests for single users that one user may make in ten minutes; 0 means no limit',
    ),
    z.int(),
    300,
  ),
  users_get_by_id_limit_allowlist: setting(
    list(text({ max: 255 }), { max: 100 }).describe('Names of users for whom that limit does not count'),
    z.array(z.string()),
    [],
  ),
  max_attachment_size: setting(int({ min: 1, max: 1_048_576 }).describe('Largest upload, MB'), z.int(), 10),
  snippet_size_limit: setting(
    int({ min: 0 }).describe('Largest content of a snippet, bytes; 0 for any'),
    z.int(),
    52_428_800,
  ),
  push_event_activities_limit: setting(
    int({ min: 0 }).describe('Refs of a push that the feed shows one by one; more become one line'),
    z.int(),
    3,
  ),
  receive_max_input_size: setting(
    int({ min: 0 }).nullable().describe('Largest push, MB; empty means no limit'),
    z.int().nullable(),
    null,
  ),
  throttle_protected_paths_enabled: setting(
    bool().describe('Sign-ins and the like that fail are limited for each address'),
    z.boolean(),
    true,
  ),
  throttle_protected_paths_requests_per_period: setting(
    int({ min: 1, max: 1_000_000 }).describe('Failures that one address may have in a period'),
    z.int(),
    10,
  ),
  throttle_protected_paths_period_in_seconds: setting(
    int({ min: 1, max: 86_400 }).describe('Length of that period, seconds'),
    z.int(),
    60,
  ),
  rate_limiting_response_text: setting(
    text({ max: 255 }).nullable().describe('What a throttled request is told; empty means `Retry later`'),
    z.string().nullable(),
    null,
  ),
} satisfies Record<string, Setting>
