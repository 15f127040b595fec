import { z } from 'zod'

import { entitySchemas, type Entity } from '../../../http/entity.ts'
import type { Shares } from './detect.ts'

const schema = z.record(z.string(), z.number())
entitySchemas.add(schema, { id: 'Languages' })

/** The percentage of code for each language (spec core 1.3). */
export const Languages: Entity<Shares, Record<string, number>> = {
  name: 'Languages',
  schema,
  present: (shares) => Object.fromEntries(shares),
}
