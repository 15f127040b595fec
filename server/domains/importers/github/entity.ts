import { z } from 'zod'

import { entity } from '../../../http/entity.ts'

/** A GitHub repository that the user can import. */
export interface ImportableRepository {
  readonly id: number
  readonly full_name: string
  readonly description: string | null
  readonly private: boolean
  readonly size: number
  readonly language: string | null
  readonly updated_at: string | null
  readonly imported_as: string | null
}

export const GithubRepository = entity(
  'GithubRepository',
  {
    id: z.int(),
    full_name: z.string(),
    description: z.string().nullable(),
    private: z.boolean(),
    // In bytes.
    size: z.int(),
    language: z.string().nullable(),
    updated_at: z.string().nullable(),
    imported_as: z.string().nullable(),
  },
  (repository: ImportableRepository) => ({ ...repository }),
)
