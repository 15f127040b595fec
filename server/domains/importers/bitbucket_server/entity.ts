import { z } from 'zod'

import { entity } from '../../../http/entity.ts'

/** A Bitbucket Server repository that the user can import. */
export interface ImportableRepository {
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
  (repository: ImportableRepository) => ({ ...repository }),
)
