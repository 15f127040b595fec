import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import { defaults, type Settings } from './catalogue.ts'
import * as store from './store.ts'

/** All application settings of the moment. A change is seen by the very next call. */
export function settingsOf(ctx: Pick<Ctx, 'db' | 'now'>): Settings {
  return settingsIn(ctx.db, ctx.now)
}

/** The same where no time is at hand. */
export function settingsFrom(db: Database): Settings {
  return db.remember('settings', () => ({ ...defaults, ...store.find(db)?.changes }))
}

/** The same without a request (outgoing requests, body limits). */
export function settingsIn(db: Database, now: string): Settings {
  return db.remember('settings', () => ({ ...defaults, ...store.load(db, now).changes }))
}
