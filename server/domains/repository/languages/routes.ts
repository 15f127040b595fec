import { endpoint } from '../../../http/endpoint.ts'
import { ok } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { Languages } from './entity.ts'
import { languagesOf } from './service.ts'

export const getLanguages = endpoint('GET /projects/:id/languages', {
  summary: 'Get the languages of a project',
  scope: project,
  can: abilities.read_code,
  returns: ok(Languages),
  run: ({ project: owner, ...ctx }) => languagesOf(ctx, owner),
})
