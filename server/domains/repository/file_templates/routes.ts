import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { CI_TEMPLATES } from '../../../lib/aliases.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { as, oneOf, entity, row } from '../../../http/entity.ts'
import { bool, choice, text } from '../../../http/params.ts'
import { ok, page, type Paging } from '../../../http/returns.ts'
import { notFound } from '../../../lib/fail.ts'
import { abilities, licenseByKey, project, type Project, type License } from '../../projects/index.ts'
import { usersById } from '../../users/index.ts'
import { customKeys, customText } from './instance-project.ts'
import {
  KINDS,
  DESCRIPTION_KINDS,
  descriptionTemplate,
  descriptionTemplates,
  templateKeys,
  templateOf,
  type Kind,
} from './kinds.ts'
import { TERMS, type Terms } from './license-terms.ts'

/** A template in a list (spec administration 13). */
const TemplateEntry = entity(
  'TemplateEntry',
  { key: z.string(), name: z.string() },
  (row: { key: string; name: string }) => row,
)

/** A template with its text. */
const Template = entity(
  'Template',
  { name: z.string(), content: z.string() },
  (row: { name: string; content: string }) => row,
)

/** A license with its terms and its text. */
interface LicenseText {
  readonly license: License
  readonly terms: Terms
  readonly content: string
}

/** A license with its terms and its text (spec administration 13). */
const LicenseTemplate = entity(
  'LicenseTemplate',
  {
    key: z.string(),
    name: z.string(),
    nickname: z.string().nullable(),
    html_url: z.string(),
    source_url: z.string(),
    popular: z.boolean(),
    description: z.string(),
    conditions: z.array(z.string()),
    permissions: z.array(z.string()),
    limitations: z.array(z.string()),
    content: z.string(),
  },
  row((view: LicenseText) => view.license),
  ({ terms, content }) => ({
    popular: terms.popular,
    description: terms.description,
    conditions: terms.conditions.slice(),
    permissions: terms.permissions.slice(),
    limitations: terms.limitations.slice(),
    content,
  }),
)

/**
 * The texts of licenses, each loaded on first use. The SPDX list is in the public domain. Its files are imported
 * separately, because all of them together have six megabytes.
 */
const TEXTS: Readonly<Record<string, () => Promise<{ default: { licenseText: string } }>>> = {
  'AGPL-3.0-only': () => import('spdx-license-list/licenses/AGPL-3.0-only.json', { with: { type: 'json' } }),
  'Apache-2.0': () => import('spdx-license-list/licenses/Apache-2.0.json', { with: { type: 'json' } }),
  'BSD-2-Clause': () => import('spdx-license-list/licenses/BSD-2-Clause.json', { with: { type: 'json' } }),
  'BSD-3-Clause': () => import('spdx-license-list/licenses/BSD-3-Clause.json', { with: { type: 'json' } }),
  'BSL-1.0': () => import('spdx-license-list/licenses/BSL-1.0.json', { with: { type: 'json' } }),
  'CC0-1.0': () => import('spdx-license-list/licenses/CC0-1.0.json', { with: { type: 'json' } }),
  'EPL-2.0': () => import('spdx-license-list/licenses/EPL-2.0.json', { with: { type: 'json' } }),
  'GPL-2.0-only': () => import('spdx-license-list/licenses/GPL-2.0-only.json', { with: { type: 'json' } }),
  'GPL-3.0-only': () => import('spdx-license-list/licenses/GPL-3.0-only.json', { with: { type: 'json' } }),
  'LGPL-2.1-only': () => import('spdx-license-list/licenses/LGPL-2.1-only.json', { with: { type: 'json' } }),
  MIT: () => import('spdx-license-list/licenses/MIT.json', { with: { type: 'json' } }),
  'MPL-2.0': () => import('spdx-license-list/licenses/MPL-2.0.json', { with: { type: 'json' } }),
  Unlicense: () => import('spdx-license-list/licenses/Unlicense.json', { with: { type: 'json' } }),
  '0BSD': () => import('spdx-license-list/licenses/0BSD.json', { with: { type: 'json' } }),
  'Artistic-2.0': () => import('spdx-license-list/licenses/Artistic-2.0.json', { with: { type: 'json' } }),
  'CC-BY-4.0': () => import('spdx-license-list/licenses/CC-BY-4.0.json', { with: { type: 'json' } }),
  'CC-BY-SA-4.0': () => import('spdx-license-list/licenses/CC-BY-SA-4.0.json', { with: { type: 'json' } }),
  'EPL-1.0': () => import('spdx-license-list/licenses/EPL-1.0.json', { with: { type: 'json' } }),
  ISC: () => import('spdx-license-list/licenses/ISC.json', { with: { type: 'json' } }),
  'LGPL-3.0-only': () => import('spdx-license-list/licenses/LGPL-3.0-only.json', { with: { type: 'json' } }),
  'MIT-0': () => import('spdx-license-list/licenses/MIT-0.json', { with: { type: 'json' } }),
  WTFPL: () => import('spdx-license-list/licenses/WTFPL.json', { with: { type: 'json' } }),
  Zlib: () => import('spdx-license-list/licenses/Zlib.json', { with: { type: 'json' } }),
}

/** The text of a license, with the placeholders of SPDX such as `<year>` and `<copyright holders>`. */
async function textOf(spdx: string): Promise<string> {
  const text = (await TEXTS[spdx]!()).default.licenseText
  return text.endsWith('\n') ? text : `${text}\n`
}

/** The spellings of the placeholders in the licenses. */
const YEAR = /<year>|\[year\]|\[yyyy\]|<yyyy>/gi

const HOLDER =
  /<copyright holders?>|<owner>|<name of author>|\[fullname\]|\[name of copyright owner\]|<your name>|<name of copyright owner>/gi

const PROJECT =
  /<program>|<one line to give the (?:program|library)'s name and (?:a brief|an) idea of what it does\.>/gi

/** Replaces the placeholders of a text for which there is a value. */
function fillPlaceholders(
  text: string,
  values: { year: string; fullname?: string | undefined; project?: string | undefined },
): string {
  let result = text.replace(YEAR, () => values.year)
  if (values.fullname) result = result.replace(HOLDER, () => values.fullname!)
  if (values.project) result = result.replace(PROJECT, () => values.project!)
  return result
}

const TEMPLATE_NAMES: Readonly<Record<Kind, string>> = {
  gitignores: 'gitignore templates',
  [CI_TEMPLATES]: 'CI/CD templates',
  dockerfiles: 'Dockerfile templates',
}
const keyParam = { key: text({ max: 255 }).describe('Key of the template') }
const placeholderParams = {
  project: text({ max: 255 }).optional().describe('The name of the project, for its placeholder'),
  fullname: text({ max: 255 })
    .optional()
    .describe('The name of the copyright holder (default: the current user)'),
}

function pageOf<Row>(rows: readonly Row[], { offset, limit }: Paging) {
  return { rows: rows.slice(offset, offset + limit), total: rows.length }
}

const entriesOf = (keys: readonly string[]) => keys.map((key) => ({ key, name: key }))

/** `GET /templates/gitignores` and the other kinds (spec administration 13). */
export const lists = KINDS.map((kind) =>
  endpoint(`GET /templates/${kind}`, {
    summary: `List ${TEMPLATE_NAMES[kind]}`,
    can: 'anyone',
    returns: page(TemplateEntry),
    run: async ({ paging, ...ctx }) => pageOf(entriesOf(await templateKeys(ctx as Ctx, kind)), paging),
  }),
)

export const singles = KINDS.map((kind) =>
  endpoint(`GET /templates/${kind}/:key`, {
    summary: `Get a single ${TEMPLATE_NAMES[kind].slice(0, -1)}`,
    can: 'anyone',
    params: keyParam,
    slashParams: ['key'],
    returns: ok(Template),
    run: ({ params, ...ctx }) => templateOf(ctx as Ctx, kind, params.key),
  }),
)

export const licenses = endpoint('GET /templates/licenses', {
  summary: 'List license templates',
  can: 'anyone',
  params: {
    popular: bool().optional().describe('List only popular (`true`) or only other licenses (`false`)'),
  },
  returns: page(LicenseTemplate),
  run: async ({ params, paging, ...ctx }) => pageOf(await listLicenses(ctx as Ctx, params.popular), paging),
})

export const license = endpoint('GET /templates/licenses/:key', {
  summary: 'Get a single license template',
  can: 'anyone',
  params: { ...keyParam, ...placeholderParams },
  volatile: true,
  returns: ok(LicenseTemplate),
  run: ({ params, ...ctx }) => licenseTemplate(ctx, params.key, params),
})

const types = [...KINDS, 'licenses', ...DESCRIPTION_KINDS] as const
const typeParam = { type: choice(...types).describe('Kind of template') }

function isDescription(type: (typeof types)[number]): type is (typeof DESCRIPTION_KINDS)[number] {
  return (DESCRIPTION_KINDS as readonly string[]).includes(type)
}

async function keysFor(ctx: Ctx, owner: Project, type: (typeof types)[number]) {
  if (isDescription(type))
    return entriesOf((await descriptionTemplates(ctx, owner, type)).map((template) => template.key))
  if (type !== 'licenses') return entriesOf(await templateKeys(ctx, type))
  const all = await listLicenses(ctx, undefined)
  return all.map(({ license: { key, name } }) => ({ key, name }))
}

export const projectList = endpoint('GET /projects/:id/templates/:type', {
  summary: 'List the templates of a project',
  scope: project,
  can: abilities.read_code,
  params: typeParam,
  returns: page(TemplateEntry),
  run: async ({ project: owner, params, paging, ...ctx }) =>
    pageOf(await keysFor(ctx as Ctx, owner, params.type), paging),
})

export const projectSingle = endpoint('GET /projects/:id/templates/:type/:name', {
  summary: 'Get a single template of a project',
  scope: project,
  can: abilities.read_code,
  params: { ...typeParam, name: text({ max: 255 }).describe('Key of the template'), ...placeholderParams },
  slashParams: ['name'],
  volatile: true,
  returns: ok(oneOf(Template, LicenseTemplate)),
  run: async ({ project: owner, params: { type, name, ...values }, ...ctx }) => {
    if (type === 'licenses') return as(LicenseTemplate, await licenseTemplate(ctx as Ctx, name, values))
    if (isDescription(type)) return as(Template, await descriptionTemplate(ctx as Ctx, owner, type, name))
    return as(Template, await templateOf(ctx as Ctx, type, name))
  },
})

async function licenseText(terms: Terms, content: string): Promise<LicenseText> {
  return { license: licenseByKey(terms.key)!, terms, content }
}

/** The licenses that a new project can have, by name. `popular` limits them to popular or to other ones. */
async function listLicenses(ctx: Ctx, popular: boolean | undefined): Promise<LicenseText[]> {
  const matching = TERMS.filter((terms) => popular === undefined || terms.popular === popular)
  const all = await Promise.all(matching.map(async (terms) => licenseText(terms, await textOf(terms.spdx))))
  const sorted = all.sort((a, b) => a.license.name.localeCompare(b.license.name, 'en'))
  if (popular) return sorted
  const keys = await customKeys(ctx, 'licenses')
  const texts = await Promise.all(keys.map((key) => customText(ctx, 'licenses', key)))
  return [...keys.map((key, index) => customLicense(key, texts[index] ?? '')), ...sorted]
}

/** A license of the instance's template project, which has no known terms. */
function customLicense(key: string, content: string): LicenseText {
  const license = { key, name: key, nickname: null, html_url: '', source_url: '' }
  const terms = {
    key,
    spdx: '',
    popular: false,
    description: '',
    permissions: [],
    conditions: [],
    limitations: [],
  }
  return { license, terms, content }
}

/** The values of placeholders in a license. */
interface PlaceholderValues {
  /** The name of the project. */
  readonly project?: string | undefined
  /** The name of the copyright holder; by default that of the current user. */
  readonly fullname?: string | undefined
}

/** One license with filled placeholders. Throws 404 for an unknown license. */
async function licenseTemplate(ctx: Ctx, key: string, input: PlaceholderValues): Promise<LicenseText> {
  const custom = await customText(ctx, 'licenses', key)
  if (custom !== undefined) return customLicense(key, custom)
  const terms = TERMS.find((entry) => entry.key === key.toLowerCase())
  if (!terms) throw notFound('License')
  const actorName =
    ctx.actor.id === null ? undefined : usersById(ctx.db, [ctx.actor.id]).get(ctx.actor.id)?.name
  const values = { year: ctx.now.slice(0, 4), project: input.project, fullname: input.fullname || actorName }
  return licenseText(terms, fillPlaceholders(await textOf(terms.spdx), values))
}
