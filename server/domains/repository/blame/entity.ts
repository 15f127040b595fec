import { z } from 'zod'

import type { Commit } from '../../../git/read/commits.ts'
import { entity, time } from '../../../http/entity.ts'
import { wireTime } from '../commits/entity.ts'

/** Consecutive lines of a file that come from one commit. */
export interface BlameRow {
  readonly commit: Commit
  readonly lines: readonly string[]
}

/** Consecutive lines with the commit that they come from (spec core 4.2). */
export const BlameRange = entity(
  'BlameRange',
  {
    commit: z.object({
      id: z.string(),
      parent_ids: z.array(z.string()),
      message: z.string(),
      authored_date: time(),
      author_name: z.string(),
      author_email: z.string(),
      committed_date: time(),
      committer_name: z.string(),
      committer_email: z.string(),
    }),
    lines: z.array(z.string()),
  },
  ({ commit, lines }: BlameRow) => ({
    commit: {
      id: commit.id,
      parent_ids: commit.parent_ids.slice(),
      message: commit.message,
      authored_date: wireTime(commit.authored_date),
      author_name: commit.author_name,
      author_email: commit.author_email,
      committed_date: wireTime(commit.committed_date),
      committer_name: commit.committer_name,
      committer_email: commit.committer_email,
    },
    lines: lines.slice(),
  }),
)
