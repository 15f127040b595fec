import type { Ctx } from '../../ctx.ts'
import { catalogue, type Settings } from './catalogue/settings.ts'
import { secretSettings } from './catalogue/secret-settings.ts'
import type { Setting } from './catalogue/types.ts'
import { settingsOf } from './service.ts'
import * as store from './store.ts'

/** Settings that only make sense on their own instance: ids, storages, and a mode that refuses all changes. */
const OWN = /_ids?$|^repository_storages|^maintenance_mode$/

/**
 * The settings that differ from their defaults, in the form that another instance accepts in one request, and the names
 * of those that it cannot accept, because they are secret, need a secret, or name something of this instance.
 */
export function portableSettings(ctx: Pick<Ctx, 'db' | 'now'>): {
  settings: Partial<Settings>
  omitted: string[]
} {
  const { changes, secrets } = store.load(ctx.db, ctx.now)
  const all = settingsOf(ctx) as Readonly<Record<string, unknown>>
  const settings: Record<string, unknown> = {}
  const omitted = Object.keys(secrets)
  for (const [name, value] of Object.entries(changes)) {
    const { needs = [], sentWith = [] } = (catalogue as Readonly<Record<string, Setting>>)[name]!.about
    const partners = value === true ? [...needs, ...sentWith] : []
    if (OWN.test(name) || partners.some((partner) => Object.hasOwn(secretSettings, partner)))
      omitted.push(name)
    else {
      settings[name] = value
      // A request that turns a switch on includes what the switch needs, also where that is the default.
      for (const partner of partners) settings[partner] = all[partner]
    }
  }
  return { settings, omitted: [...new Set(omitted)] }
}
