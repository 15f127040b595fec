import { atLeastOne, endpoint, exclusive } from '../../http/endpoint.ts'
import type { Param } from '../../http/param.ts'
import { ok } from '../../http/returns.ts'
import { fail } from '../../lib/fail.ts'
import { catalogue, groups } from './catalogue/settings.ts'
import { secretSettings, secretNames, type SecretName } from './catalogue/secret-settings.ts'
import type { Setting } from './catalogue/types.ts'
import { ApplicationSettings, SettingsCatalogue, type Described, type DescribedGroup } from './entity.ts'
import { EXCLUSIVE, MEANINGLESS, olderParams, renamed } from './params-older.ts'
import { missing } from './validation.ts'
import { changeSettings, view } from './service.ts'

/** Maps each setting to the switch that requires it. */
const switchOf = new Map(
  Object.entries(catalogue as Readonly<Record<string, Setting>>).flatMap(([name, { about }]) =>
    (about.needs ?? []).map((needed) => [needed, name] as const),
  ),
)

function plain(name: string, setting: Setting): Described {
  const { min, max, above, under } = setting.bounds
  return {
    name,
    label: setting.label,
    help: setting.help,
    kind: setting.kind,
    unit: setting.about.unit ?? null,
    empty: setting.about.empty ?? null,
    default: setting.default,
    minimum: min ?? (above === undefined || setting.kind === 'decimal' ? null : above + 1),
    maximum: max ?? (under === undefined ? null : under - 1),
    choices: setting.choices ? [...setting.choices] : null,
    needs: [...(setting.about.needs ?? []), ...(setting.about.sentWith ?? [])],
    below: setting.about.below ?? switchOf.get(name) ?? null,
    effect: setting.about.effect ?? 'here',
    secret: null,
  }
}

function secretSetting(name: SecretName): Described {
  const secret = secretSettings[name]
  return {
    name,
    label: secret.label,
    help: secret.help,
    kind: 'text',
    unit: null,
    empty: secret.about.empty ?? 'none',
    default: null,
    minimum: null,
    maximum: secret.max,
    choices: null,
    needs: [],
    below: secret.about.below ?? switchOf.get(name) ?? null,
    effect: secret.about.effect ?? 'here',
    secret: secret.shown ? 'shown' : 'hidden',
  }
}

/** Returns all settings by theme. Each secret follows the setting that it belongs to. */
function described(): DescribedGroup[] {
  return groups.map(({ name, title, settings }) => ({
    name,
    title,
    settings: Object.entries(settings).flatMap(([key, setting]) => [
      plain(key, setting),
      ...secretNames.filter((secret) => secretSettings[secret].after === key).map(secretSetting),
    ]),
  }))
}

export const getCatalogue = endpoint('GET /-/settings/catalogue', {
  summary: 'List all application settings with their defaults and limits',
  can: 'admin',
  pure: true,
  returns: ok(SettingsCatalogue),
  run: () => described(),
})

const params: Record<string, Param<unknown>> = {
  ...paramsOf(catalogue),
  ...paramsOf(secretSettings),
  ...olderParams,
}

function paramsOf(
  settings: Readonly<Record<string, { param: Param<unknown> }>>,
): Record<string, Param<unknown>> {
  return Object.fromEntries(Object.entries(settings).map(([name, entry]) => [name, entry.param]))
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
    const input = renamed(sent)
    // Some switches must be sent together with other settings (spec administration 1.1).
    const absent = missing(input)
    if (absent.length > 0) throw fail('parameter', absent.map((name) => `${name} is missing`).join(', '))
    for (const name of MEANINGLESS) delete input[name]
    return changeSettings(ctx, input)
  },
})
