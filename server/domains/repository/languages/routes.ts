import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entitySchemas, type Entity } from '../../../http/entity.ts'
import { ok } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { languagesOf, type Shares } from './service.ts'

const schema = z.record(z.string(), z.number())
entitySchemas.add(schema, { id: 'Languages' })

/** The percentage of code for each language (spec core 1.3). */
const Languages: Entity<Shares, Record<string, number>> = {
  name: 'Languages',
  schema,
  present: (shares) => Object.fromEntries(shares),
}

export const getLanguages = endpoint('GET /projects/:id/languages', {
  summary: 'Get the languages of a project',
  scope: project,
  can: abilities.read_code,
  returns: ok(Languages),
  run: ({ project: owner, ...ctx }) => languagesOf(ctx, owner),
})
