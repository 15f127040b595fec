import { atLeastOne, endpoint, exclusive } from '../../http/endpoint.ts'
import type { Param } from '../../http/param.ts'
import { ok } from '../../http/returns.ts'
import { fail } from '../../lib/fail.ts'
import { catalogue } from './catalogue/settings.ts'
import { secretSettings } from './catalogue/secret-settings.ts'
import { ApplicationSettings } from './entity.ts'
import { EXCLUSIVE, MEANINGLESS, olderParams, renamed } from './params-older.ts'
import { missing } from './validation.ts'
import { changeSettings, view } from './service.ts'

const params: Record<string, Param<unknown>> = {
  ...paramsOf(catalogue),
  ...paramsOf(secretSettings),
  ...olderParams,
}

function paramsOf(
  settings: Readonly<Record<string, { param: Param<unknown> }>>,
): Record<string, Param<unknown>> {
  return Object.fromEntries(Object.entries(settings).map(([name, one]) => [name, one.param]))
}

export const getSettings = endpoint('GET /application/settings', {
  summary: 'Get the application settings',
  can: 'admin',
  returns: ok(ApplicationSettings),
  run: (ctx) => view(ctx),
})

export const updateSettings = endpoint('PUT /application/settings', {
  summary: 'Update application settings',
  can: 'admin',
  params,
  together: [atLeastOne(...Object.keys(params)), exclusive(...EXCLUSIVE)],
  fails: { 400: 'A value is not acceptable: `{"message": {"<setting>": ["…"]}}`' },
  returns: ok(ApplicationSettings),
  run: ({ params: sent, ...ctx }) => {
    const given = renamed(sent)
    // Some switches must be sent together with other settings (spec administration 1.1).
    const absent = missing(given)
    if (absent.length > 0) throw fail('parameter', absent.map((name) => `${name} is missing`).join(', '))
    for (const name of MEANINGLESS) delete given[name]
    return changeSettings(ctx, given)
  },
})
