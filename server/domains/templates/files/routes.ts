import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { CI_TEMPLATES } from '../../../http/aliases.ts'
import { bool, choice, text } from '../../../http/params.ts'
import { as, oneOf } from '../../../http/entity.ts'
import { ok, page, type Paging } from '../../../http/returns.ts'
import { abilities, project, type Project } from '../../projects/index.ts'
import { LicenseTemplate, Template, TemplateEntry } from './entity.ts'
import { licenseTemplate, listLicenses } from './licenses/list.ts'
import { KINDS, OWN_KINDS, ownTemplate, ownTemplates, templateKeys, templateOf, type Kind } from './kinds.ts'

const WORDS: Readonly<Record<Kind, string>> = {
  gitignores: 'lists of ignored files',
  [CI_TEMPLATES]: 'configurations of pipelines',
  dockerfiles: 'descriptions of images',
}
const keyParam = { key: text({ max: 255 }).describe('Key of the template') }
const gaps = {
  project: text({ max: 255 }).optional().describe('Name of the project, for its gap in the text'),
  fullname: text({ max: 255 }).optional().describe('Who holds the rights; by default the caller'),
}

function pageOf<Row>(rows: readonly Row[], { offset, limit }: Paging) {
  return { rows: rows.slice(offset, offset + limit), total: rows.length }
}

const entriesOf = (keys: readonly string[]) => keys.map((key) => ({ key, name: key }))

/** `GET /templates/gitignores` and its sisters (spec administration 13). */
export const lists = KINDS.map((kind) =>
  endpoint(`GET /templates/${kind}`, {
    summary: `List the ${WORDS[kind]} that come with the instance`,
    can: 'anyone',
    returns: page(TemplateEntry),
    run: async ({ paging, ...ctx }) => pageOf(entriesOf(await templateKeys(ctx as Ctx, kind)), paging),
  }),
)

export const singles = KINDS.map((kind) =>
  endpoint(`GET /templates/${kind}/:key`, {
    summary: `Get one of the ${WORDS[kind]}`,
    can: 'anyone',
    params: keyParam,
    spans: ['key'],
    returns: ok(Template),
    run: ({ params, ...ctx }) => templateOf(ctx as Ctx, kind, params.key),
  }),
)

export const licenses = endpoint('GET /templates/licenses', {
  summary: 'List the licences that a project can begin with',
  can: 'anyone',
  params: { popular: bool().optional().describe('Only those that are offered first, or only the others') },
  returns: page(LicenseTemplate),
  run: async ({ params, paging, ...ctx }) => pageOf(await listLicenses(ctx as Ctx, params.popular), paging),
})

export const license = endpoint('GET /templates/licenses/:key', {
  summary: 'Get a licence, filled in',
  can: 'anyone',
  params: { ...keyParam, ...gaps },
  volatile: true,
  returns: ok(LicenseTemplate),
  run: ({ params, ...ctx }) => licenseTemplate(ctx, params.key, params),
})

const types = [...KINDS, 'licenses', ...OWN_KINDS] as const
const typeParam = { type: choice(...types).describe('Kind of template') }

function isOwn(type: (typeof types)[number]): type is (typeof OWN_KINDS)[number] {
  return (OWN_KINDS as readonly string[]).includes(type)
}

async function keysFor(ctx: Ctx, owner: Project, type: (typeof types)[number]) {
  if (isOwn(type)) return entriesOf((await ownTemplates(ctx, owner, type)).map((one) => one.key))
  if (type !== 'licenses') return entriesOf(await templateKeys(ctx, type))
  const all = await listLicenses(ctx, undefined)
  return all.map(({ license: { key, name } }) => ({ key, name }))
}

export const projectList = endpoint('GET /projects/:id/templates/:type', {
  summary: 'List the templates that a project offers: its own descriptions, and those of the instance',
  scope: project,
  can: abilities.read_code,
  params: typeParam,
  returns: page(TemplateEntry),
  run: async ({ project: owner, params, paging, ...ctx }) =>
    pageOf(await keysFor(ctx as Ctx, owner, params.type), paging),
})

export const projectSingle = endpoint('GET /projects/:id/templates/:type/:name', {
  summary: 'Get one of them',
  scope: project,
  can: abilities.read_code,
  params: { ...typeParam, name: text({ max: 255 }).describe('Key of the template'), ...gaps },
  spans: ['name'],
  volatile: true,
  returns: ok(oneOf(Template, LicenseTemplate)),
  run: async ({ project: owner, params: { type, name, ...given }, ...ctx }) => {
    if (type === 'licenses') return as(LicenseTemplate, await licenseTemplate(ctx as Ctx, name, given))
    if (isOwn(type)) return as(Template, await ownTemplate(ctx as Ctx, owner, type, name))
    return as(Template, await templateOf(ctx as Ctx, type, name))
  },
})
