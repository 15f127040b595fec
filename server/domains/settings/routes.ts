import { atLeastOne, endpoint, exclusive } from '../../http/endpoint.ts'
import type { Param } from '../../http/param.ts'
import { ok } from '../../http/returns.ts'
import { fail } from '../../lib/fail.ts'
import { catalogue, groups } from './catalogue/settings.ts'
import { secretSettings, secretNames, type SecretName } from './catalogue/secret-settings.ts'
import type { Setting } from './catalogue/types.ts'
import {
  ApplicationSettings,
  SettingsCatalogue,
  type SettingDescription,
  type SettingGroup,
} from './entity.ts'
import { EXCLUSIVE_NAMES, IGNORED_NAMES, deprecatedParams, withCurrentNames } from './params-older.ts'
import { missingSettings } from './validation.ts'
import { changeSettings, view } from './service.ts'

/** Maps each setting to the switch that requires it. */
const switchOf = new Map(
  Object.entries(catalogue as Readonly<Record<string, Setting>>).flatMap(([name, { about }]) =>
    (about.needs ?? []).map((needed) => [needed, name] as const),
  ),
)

function describeSetting(name: string, setting: Setting): SettingDescription {
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

function describeSecret(name: SecretName): SettingDescription {
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

/** Returns all settings by group. Each secret follows the setting that it belongs to. */
function describeAll(): SettingGroup[] {
  return groups.map(({ name, title, settings }) => ({
    name,
    title,
    settings: Object.entries(settings).flatMap(([key, setting]) => [
      describeSetting(key, setting),
      ...secretNames.filter((secret) => secretSettings[secret].after === key).map(describeSecret),
    ]),
  }))
}

export const getCatalogue = endpoint('GET /-/settings/catalogue', {
  summary: 'List all application settings with their defaults and limits',
  can: 'admin',
  pure: true,
  returns: ok(SettingsCatalogue),
  run: () => describeAll(),
})

const params: Record<string, Param<unknown>> = {
  ...paramsOf(catalogue),
  ...paramsOf(secretSettings),
  ...deprecatedParams,
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
  parameterRules: [atLeastOne(...Object.keys(params)), exclusive(...EXCLUSIVE_NAMES)],
  fails: { 400: 'A value is invalid: `{"message": {"<setting>": ["…"]}}`' },
  returns: ok(ApplicationSettings),
  run: ({ params: requested, ...ctx }) => {
    const input = withCurrentNames(requested)
    // A request that turns on some switches must include other settings (spec administration 1.1).
    const absent = missingSettings(input)
    if (absent.length > 0) throw fail('parameter', absent.map((name) => `${name} is missing`).join(', '))
    for (const name of IGNORED_NAMES) delete input[name]
    return changeSettings(ctx, input)
  },
})
