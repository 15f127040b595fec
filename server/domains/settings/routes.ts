import { atLeastOne, endpoint, exclusive } from '../../http/endpoint.ts'
import { bool } from '../../http/params.ts'
import { ok } from '../../http/returns.ts'
import { fail } from '../../lib/fail.ts'
import { catalogue, type Settings } from './catalogue.ts'
import { secretSettings } from './catalogue/secrets.ts'
import { ApplicationSettings } from './entity.ts'
import { changeSettings, view } from './service.ts'

const params = {
  ...Object.fromEntries(Object.entries(catalogue).map(([name, one]) => [name, one.param])),
  ...secretSettings,
}

/** Older names that are still accepted on write (spec administration 1.1). */
const older = {
  password_authentication_enabled: bool()
    .optional()
    .describe('Older name of `password_authentication_enabled_for_web`'),
  signin_enabled: bool().optional().describe('Older name of `password_authentication_enabled_for_web`'),
  allow_local_requests_from_hooks_and_services: bool()
    .optional()
    .describe('Older name of `allow_local_requests_from_web_hooks_and_services`'),
}

export const getSettings = endpoint('GET /application/settings', {
  summary: 'Get the application settings',
  can: 'admin',
  returns: ok(ApplicationSettings),
  run: (ctx) => view(ctx),
})

export const updateSettings = endpoint('PUT /application/settings', {
  summary: 'Change application settings',
  can: 'admin',
  params: { ...params, ...older },
  together: [
    atLeastOne(...Object.keys(params), ...Object.keys(older)),
    exclusive('password_authentication_enabled_for_web', 'password_authentication_enabled', 'signin_enabled'),
  ],
  fails: { 400: 'A value is not acceptable: `{"message": {"<setting>": ["…"]}}`' },
  returns: ok(ApplicationSettings),
  run: ({ params: given, ...ctx }) => {
    const {
      password_authentication_enabled,
      signin_enabled,
      allow_local_requests_from_hooks_and_services,
      ...rest
    } = given as Record<string, unknown>
    // A switch that needs another setting is sent together with it (spec administration 1.1).
    if (rest['enforce_terms'] === true && !rest['terms']) throw fail('parameter', 'terms is missing')
    return changeSettings(ctx, {
      ...(rest as Partial<Settings>),
      ...withName(
        'password_authentication_enabled_for_web',
        password_authentication_enabled ?? signin_enabled,
      ),
      ...withName(
        'allow_local_requests_from_web_hooks_and_services',
        allow_local_requests_from_hooks_and_services,
      ),
    })
  },
})

function withName(name: keyof Settings, value: unknown): Partial<Settings> {
  return value === undefined ? {} : { [name]: value }
}
