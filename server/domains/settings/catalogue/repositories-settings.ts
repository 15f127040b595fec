import { flag, whole, wholeOrNone } from './params-kinds.ts'
import { list, numbers, weights } from './params-lists.ts'
import type { Setting } from './types.ts'

/** How repositories are kept, and what is shown of them. */
export const repositories = {
  repository_storages_weighted: weights(
    { default: 100 },
    'Storages of new repositories',
    'Each with its share of them, 0 to 100.',
  ),
  receive_max_input_size: wholeOrNone(null, 'Largest push', 'Larger ones are refused at the git prompt.', {
    unit: 'MB',
    empty: 'no limit',
    min: 0,
  }),
  repository_size_limit: wholeOrNone(
    0,
    'Largest repository',
    'Beyond it pushes, commits and merges are refused; 0 for no limit.',
    { unit: 'MB', min: 0 },
  ),
  push_event_activities_limit: whole(3, 'Branches of a push that the feed shows', 'More become one line.', {
    min: 0,
  }),
  diff_max_patch_bytes: whole(204_800, 'Largest change of a file', 'Larger ones are folded.', {
    unit: 'bytes',
    min: 204_800,
    max: 512_000,
  }),
  diff_max_files: whole(1000, 'Files that a change shows', 'More are left out.', { min: 1000, max: 3000 }),
  diff_max_lines: whole(50_000, 'Lines that a change shows', 'More are left out.', {
    min: 50_000,
    max: 100_000,
  }),
  housekeeping_enabled: flag(
    true,
    'Repositories are tidied up',
    'After some pushes each, while nobody waits.',
    {
      sentWith: [
        'housekeeping_bitmaps_enabled',
        'housekeeping_full_repack_period',
        'housekeeping_gc_period',
        'housekeeping_incremental_repack_period',
      ],
    },
  ),
  housekeeping_incremental_repack_period: whole(10, 'Packed after', 'What was pushed since.', {
    unit: 'pushes',
    above: 0,
  }),
  housekeeping_full_repack_period: whole(50, 'Packed anew after', 'The whole repository.', {
    unit: 'pushes',
    above: 0,
  }),
  housekeeping_gc_period: whole(200, 'Cleaned after', 'What nothing leads to any more goes.', {
    unit: 'pushes',
    above: 0,
  }),
  housekeeping_optimize_repository_period: whole(
    10,
    'Optimised after',
    'The one number that newer clients send: packed after so many pushes, or as said above where that is sooner.',
    { unit: 'pushes', above: 0 },
  ),
  repository_checks_enabled: flag(
    true,
    'Repositories are checked',
    'Now and then, for damage. Administrators hear of it.',
  ),
  gitaly_timeout_fast: whole(
    10,
    'Git has for quick questions',
    'Such as whether a branch is there; 0 for no limit.',
    {
      unit: 'seconds',
      min: 0,
    },
  ),
  gitaly_timeout_medium: whole(
    30,
    'Git has for larger questions',
    'Such as a list of commits; 0 for no limit.',
    {
      unit: 'seconds',
      min: 0,
    },
  ),
  gitaly_timeout_default: whole(55, 'Git has for everything else', 'Such as a comparison; 0 for no limit.', {
    unit: 'seconds',
    min: 0,
  }),
  mirror_available: flag(true, 'Maintainers may set up mirrors', 'Otherwise only administrators may.'),
  mirror_max_delay: whole(300, 'Mirrors are updated within', 'Those that follow another repository.', {
    unit: 'minutes',
    above: 0,
  }),
  mirror_max_capacity: whole(100, 'Mirrors that are updated at once', 'At most.', { above: 0 }),
  mirror_capacity_threshold: whole(50, 'More are begun when there is room for', 'At most the number above.', {
    above: 0,
    effect: 'echo',
  }),
  max_number_of_repository_downloads: whole(
    0,
    'Repositories that a user may download',
    'Within the time below; more ban the user. 0 for no limit.',
    { min: 0, max: 10_000 },
  ),
  max_number_of_repository_downloads_within_time_period: whole(0, 'Counted for', '0 for no limit.', {
    unit: 'seconds',
    min: 0,
    max: 864_000,
  }),
  auto_ban_user_on_excessive_projects_download: flag(
    false,
    'Who downloads more is banned',
    'Otherwise administrators are notified.',
  ),
  git_rate_limit_users_allowlist: list([], 'Users who may download any number', 'By their names.', {
    max: 100,
    empty: 'none',
  }),
  git_rate_limit_users_alertlist: numbers(
    [],
    'Users who are notified',
    'By their numbers; otherwise all administrators.',
    {
      max: 100,
      empty: 'administrators',
    },
  ),
} satisfies Record<string, Setting>
