import { endpoint } from '../../http/endpoint.ts'
import { bool, choice, text } from '../../http/params.ts'
import { created, ok } from '../../http/returns.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { WRITABLE_FORMATS } from '../../lib/markup/formats.ts'
import { canRead } from '../../policy/ability.ts'
import { project } from '../projects/index.ts'
import { Html } from './entity.ts'
import { renderMarkup, renderPlain, renderText } from './service.ts'

/** The maximum length of a text of an anonymous caller, characters. Large texts are expensive to render. */
const MAX_ANONYMOUS = 65_536

/** The maximum length of a file, characters. */
const MAX_FILE = 2 * 1024 * 1024

export const render = endpoint('POST /markdown', {
  summary: 'Render Markdown as HTML',
  can: 'anyone',
  params: {
    text: text().describe('The Markdown text to render'),
    gfm: bool().optional().describe('Render references as links'),
    project: text({ max: 1024 })
      .optional()
      .describe('The full path of the project that references are relative to'),
  },
  maxBody: 5 * 1024 * 1024,
  fails: { 401: 'Large texts can only be rendered for signed-in users' },
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
  summary: 'Render a text in any markup format as HTML',
  can: 'anyone',
  params: {
    text: text({ max: MAX_FILE }).describe('The text to render'),
    format: choice(...WRITABLE_FORMATS).describe('The markup format of the text'),
  },
  maxBody: 2 * MAX_FILE,
  fails: { 401: 'Large texts can only be rendered for signed-in users' },
  returns: ok(Html),
  run: async ({ params, ...ctx }) => {
    if (ctx.actor.kind === 'anonymous' && params.text.length > MAX_ANONYMOUS) throw fail('unauthorized')
    return renderMarkup(ctx, params)
  },
})
