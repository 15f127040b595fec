import type { Ctx } from '../../ctx.ts'
import { catalogue, type Settings } from './catalogue/settings.ts'
import { secretSettings } from './catalogue/secret-settings.ts'
import type { Setting } from './catalogue/types.ts'
import { settingsOf } from './service.ts'
import * as store from './store.ts'

/** Settings that cannot be transferred to another instance: ids, storages, and the mode that refuses all changes. */
const INSTANCE_SPECIFIC = /_ids?$|^repository_storages|^maintenance_mode$/

/**
 * Returns the settings that differ from their defaults, in a form that another instance accepts in one request.
 * `omitted` has the names of changed settings that are secret, require a secret, or refer to records of this
 * instance.
 */
export function portableSettings(ctx: Pick<Ctx, 'db' | 'now'>): {
  settings: Partial<Settings>
  omitted: string[]
} {
  const { changes, secrets } = store.load(ctx.db, ctx.now)
  const values = settingsOf(ctx) as Readonly<Record<string, unknown>>
  const settings: Record<string, unknown> = {}
  const omitted = Object.keys(secrets)
  for (const [name, value] of Object.entries(changes)) {
    const { needs = [], sentWith = [] } = (catalogue as Readonly<Record<string, Setting>>)[name]!.about
    const requiredSettings = value === true ? [...needs, ...sentWith] : []
    if (
      INSTANCE_SPECIFIC.test(name) ||
      requiredSettings.some((partner) => Object.hasOwn(secretSettings, partner))
    )
      omitted.push(name)
    else {
      settings[name] = value
      // A request that turns on a switch must include the required settings, even those with default values.
      for (const partner of requiredSettings) settings[partner] = values[partner]
    }
  }
  return { settings, omitted: [...new Set(omitted)] }
}
