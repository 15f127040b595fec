import { endpoint } from '../../http/endpoint.ts'
import { bool, choice, text } from '../../http/params.ts'
import { created, ok } from '../../http/returns.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { WRITABLE_FORMATS } from '../../lib/markup/formats.ts'
import { canRead } from '../../policy/ability.ts'
import { project } from '../projects/index.ts'
import { Html } from './entity.ts'
import { renderMarkup, renderPlain, renderText } from './service.ts'

/** Characters that are rendered for whoever does not say who they are: a large text keeps everybody else waiting. */
const MAX_ANONYMOUS = 65_536

/** Characters of a file that is rendered. */
const MAX_FILE = 2 * 1024 * 1024

export const render = endpoint('POST /markdown', {
  summary: 'Render Markdown as safe HTML',
  can: 'anyone',
  params: {
    text: text().describe('The Markdown text'),
    gfm: bool().optional().describe('Make references to what the caller may see links'),
    project: text({ max: 1024 }).optional().describe('Full path of the project that the text is in'),
  },
  maxBody: 5 * 1024 * 1024,
  fails: { 401: 'Large texts are rendered for whoever is signed in' },
  returns: created(Html),
  run: async ({ params, ...ctx }) => {
    const owner = params.project === undefined ? undefined : project.load(ctx, params.project)
    const isHidden = params.project !== undefined && (!owner || !canRead(ctx, project, owner))
    if (isHidden) throw notFound('Project')
    if (ctx.actor.kind === 'anonymous' && params.text.length > MAX_ANONYMOUS) throw fail('unauthorized')
    if (params.gfm) return renderText(ctx, params.text, { project: owner })
    return renderPlain(ctx, params.text)
  },
})

export const renderFile = endpoint('POST /-/markup', {
  summary: 'Render a text of any of the formats of wikis as safe HTML',
  can: 'anyone',
  params: {
    text: text({ max: MAX_FILE }).describe('The text'),
    format: choice(...WRITABLE_FORMATS).describe('Its markup'),
  },
  maxBody: 2 * MAX_FILE,
  fails: { 401: 'Large texts are rendered for whoever is signed in' },
  returns: ok(Html),
  run: async ({ params, ...ctx }) => {
    if (ctx.actor.kind === 'anonymous' && params.text.length > MAX_ANONYMOUS) throw fail('unauthorized')
    return renderMarkup(ctx, params)
  },
})
