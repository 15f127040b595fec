import { flag, whole } from './kinds.ts'
import { list } from './lists.ts'
import type { Setting, Typed } from './setting.ts'
import type { z } from 'zod'

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
