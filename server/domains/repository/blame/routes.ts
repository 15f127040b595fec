import { serviceHeaders } from '../../../lib/aliases.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { hash, int, text } from '../../../http/params.ts'
import { page } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { fileHeaders } from '../files/entity.ts'
import { getFileInfo } from '../files/service.ts'
import { BlameRange } from './entity.ts'
import { getBlame } from './service.ts'

export const listBlame = endpoint('GET /projects/:id/repository/files/:file_path/blame', {
  summary: 'Get the blame of a file',
  scope: project,
  can: abilities.read_code,
  token: ['read_repository'],
  params: {
    file_path: text({ max: 4096 }).describe('Path of the file, encoded as one segment'),
    ref: text({ max: 1100, notEmpty: true }).describe('Branch, tag or id'),
    range: hash({
      start: int({ min: 1 }).describe('First line, from 1'),
      end: int({ min: 1 }).describe('Last line'),
    })
      .optional()
      .describe('Limit to these lines'),
  },
  fails: { 400: 'range[start] must be less than or equal to range[end]' },
  returns: page(BlameRange, { paging: 'none' }),
  run: async ({ project: owner, params, http, ...ctx }) => {
    const info = await getFileInfo(ctx, owner, params)
    for (const [name, value] of Object.entries(serviceHeaders(fileHeaders(info)))) http.set(name, value)
    if (http.method === 'HEAD') return { rows: [] }
    return { rows: await getBlame(ctx, owner, params, http.signal) }
  },
})
