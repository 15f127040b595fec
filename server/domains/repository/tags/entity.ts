import { z } from 'zod'

import type { Commit } from '../../../git/read/commits.ts'
import type { Tag as GitTag } from '../../../git/write/refs.ts'
import { entity } from '../../../http/entity.ts'
import { commitFields, commitView } from '../commits/entity.ts'
import type { TagRelease } from './store.ts'

/** A tag with its commit; null if it points to a tree or a blob. */
export interface TagRow {
  readonly tag: GitTag
  readonly commit: Commit | null
  /** Full path of the project. */
  readonly path: string
  readonly protected: boolean
  /** Null without a release, and for actors who may not read releases. */
  readonly release: TagRelease | null
}

/** A tag (spec core 4.5). */
export const Tag = entity(
  'Tag',
  {
    name: z.string(),
    message: z.string(),
    target: z.string(),
    commit: z.object(commitFields).nullable(),
    release: z.object({ tag_name: z.string(), description: z.string().nullable() }).nullable(),
    protected: z.boolean(),
  },
  ({ tag, commit, path, protected: isProtected, release }: TagRow, at) => ({
    name: tag.name,
    message: tag.message ?? '',
    target: tag.target,
    commit: commit && commitView({ commit, path }, at),
    release,
    protected: isProtected,
  }),
)
