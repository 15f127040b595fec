import type { z } from 'zod'

import { accounts } from './catalogue/accounts.ts'
import { ci } from './catalogue/ci.ts'
import { deletion } from './catalogue/deletion.ts'
import { rates, sizes } from './catalogue/limits.ts'
import { mail } from './catalogue/mail.ts'
import { network, services } from './catalogue/network.ts'
import { operations } from './catalogue/operations.ts'
import { projects } from './catalogue/projects.ts'
import { registry, transfers } from './catalogue/registry.ts'
import { repositories } from './catalogue/repositories.ts'
import type { Setting } from './catalogue/setting.ts'
import { signIn, tokens } from './catalogue/sign_in.ts'
import { texts } from './catalogue/texts.ts'
import { throttles } from './catalogue/throttle.ts'
import { search, tools, visitors } from './catalogue/tools.ts'

/**
 * The catalogue of application settings (spec administration 1.2), by theme: the only place where a setting is declared (those that
 * are sealed: `catalogue/secrets.ts`). Each says whether the application behaves as it says (`effect`) or only keeps it.
 */
export const catalogue = {
  ...projects,
  ...deletion,
  ...accounts,
  ...signIn,
  ...tokens,
  ...ci,
  ...repositories,
  ...sizes,
  ...rates,
  ...throttles,
  ...network,
  ...mail,
  ...texts,
  ...operations,
  ...services,
  ...visitors,
  ...search,
  ...tools,
  ...registry,
  ...transfers,
} satisfies Record<string, Setting>

/** The themes as the window shows them, in its order. */
export const groups: readonly { name: string; title: string; settings: Readonly<Record<string, Setting>> }[] =
  [
    { name: 'projects', title: 'Projects and groups', settings: projects },
    { name: 'deletion', title: 'Deletion', settings: deletion },
    { name: 'accounts', title: 'Accounts', settings: accounts },
    { name: 'sign_in', title: 'Sign-in', settings: signIn },
    { name: 'tokens', title: 'Tokens and keys', settings: tokens },
    { name: 'ci', title: 'Pipelines and runners', settings: ci },
    { name: 'repositories', title: 'Repositories', settings: repositories },
    { name: 'sizes', title: 'Sizes', settings: sizes },
    { name: 'rates', title: 'Rates', settings: rates },
    { name: 'throttles', title: 'Throttles', settings: throttles },
    { name: 'network', title: 'Network', settings: network },
    { name: 'mail', title: 'E-mail', settings: mail },
    { name: 'texts', title: 'Texts and pages', settings: texts },
    { name: 'operations', title: 'Operation', settings: operations },
    { name: 'services', title: 'Other services', settings: services },
    { name: 'visitors', title: 'Spam and robots', settings: visitors },
    { name: 'search', title: 'Search engine', settings: search },
    { name: 'tools', title: 'Tools and figures', settings: tools },
    { name: 'registry', title: 'Packages and sites', settings: registry },
    { name: 'transfers', title: 'Imports', settings: transfers },
  ]

type Catalogue = typeof catalogue
/** Name of a setting. */
export type SettingName = keyof Catalogue
/** All settings with their values. */
export type Settings = { readonly [Name in SettingName]: z.output<Catalogue[Name]['value']> }

/** The settings of a new instance. */
export const defaults = Object.fromEntries(
  Object.entries(catalogue).map(([name, one]) => [name, one.default]),
) as unknown as Settings
