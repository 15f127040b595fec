import { z } from 'zod'

import { entitySchemas, type Entity } from '../../../http/entity.ts'
import type { Shares } from './detect.ts'

const schema = z.record(z.string(), z.number())
entitySchemas.add(schema, { id: 'Languages' })

/** Percent of the code by the name of its language (spec core 1.3). */
export const Languages: Entity<Shares, Record<string, number>> = {
  name: 'Languages',
  schema,
  present: (shares) => Object.fromEntries(shares),
}
