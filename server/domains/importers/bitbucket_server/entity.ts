import { z } from 'zod'

import { entity } from '../../../http/entity.ts'

/** A repository of Bitbucket Server, as the window offers it. */
export interface OfferedRepository {
  readonly project_key: string
  readonly repository_slug: string
  readonly full_name: string
  readonly description: string | null
  readonly imported_as: string | null
}

export const BitbucketServerRepository = entity(
  'BitbucketServerRepository',
  {
    project_key: z.string(),
    repository_slug: z.string(),
    full_name: z.string(),
    description: z.string().nullable(),
    imported_as: z.string().nullable(),
  },
  (repository: OfferedRepository) => ({ ...repository }),
)
