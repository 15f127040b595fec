import { z } from 'zod'

import { endpoint } from '../../http/endpoint.ts'
import { entity } from '../../http/entity.ts'
import { bool, text } from '../../http/params.ts'
import { created } from '../../http/returns.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { canRead } from '../../policy/ability.ts'
import { project } from '../projects/index.ts'
import { renderPlain, renderText } from './render.ts'

/** Characters that are rendered for whoever does not say who they are: a large text keeps everybody else waiting. */
const MAX_ANONYMOUS = 65_536

/** Rendered text. */
export const Html = entity('Html', { html: z.string() }, (html: string) => ({ html }))

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
