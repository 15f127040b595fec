import { z } from 'zod'

import { entitySchemas, type Entity } from '../../../http/entity.ts'
import { Commit, type CommitRow } from '../../repository/commits/entity.ts'

const schema = z.array(Commit.schema)
entitySchemas.add(schema, { id: 'CommitList' })

/** Commits as one answer that is no page. */
export const CommitList: Entity<readonly CommitRow[], z.output<typeof schema>> = {
  name: 'CommitList',
  schema,
  present: (rows, at) => rows.map((row) => Commit.present(row, at)),
}
