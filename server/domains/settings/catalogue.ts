import type { z } from 'zod'

import { accounts } from './catalogue/accounts.ts'
import { ci } from './catalogue/ci.ts'
import { limits } from './catalogue/limits.ts'
import { mail } from './catalogue/mail.ts'
import { outgoing } from './catalogue/outgoing.ts'
import { projects } from './catalogue/projects.ts'
import type { Setting } from './catalogue/setting.ts'
import { signIn } from './catalogue/sign_in.ts'

/**
 * The catalogue of application settings (spec administration 1.2), by theme: the only place where a setting is declared (those that
 * nobody reads back: `catalogue/secrets.ts`).
 * Only settings that change behaviour stand here; more arrive with the domains that honour them.
 */
export const catalogue = {
  ...projects,
  ...limits,
  ...ci,
  ...accounts,
  ...signIn,
  ...outgoing,
  ...mail,
} satisfies Record<string, Setting>

type Catalogue = typeof catalogue
/** Name of a setting. */
export type SettingName = keyof Catalogue
/** All settings with their values. */
export type Settings = { readonly [Name in SettingName]: z.output<Catalogue[Name]['value']> }

/** The settings of a new instance. */
export const defaults = Object.fromEntries(
  Object.entries(catalogue).map(([name, one]) => [name, one.default]),
) as unknown as Settings
