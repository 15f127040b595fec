import { z } from 'zod'

import type { TreeEntry } from '../../../git/read/tree.ts'
import { entity, time } from '../../../http/entity.ts'
import { wireTime } from '../commits/entity.ts'
import type { EntryCommit } from './service.ts'

/** One entry of a folder (spec core 4.1). */
export const TreeItem = entity(
  'TreeItem',
  {
    id: z.string(),
    name: z.string(),
    type: z.enum(['tree', 'blob', 'commit']),
    path: z.string(),
    mode: z.string(),
  },
  ({ id, name, type, path, mode }: TreeEntry) => ({ id, name, type, path, mode }),
)

/** A blob by its id. */
export const BlobContent = entity(
  'BlobContent',
  { size: z.int(), encoding: z.literal('base64'), content: z.string(), sha: z.string() },
  ({ id, size, content }: { id: string; size: number; content: Buffer }) => ({
    size,
    encoding: 'base64' as const,
    content: content.toString('base64'),
    sha: id,
  }),
)
/** An entry of a folder with its last commit, for the window. */
export const EntryLastCommit = entity(
  'EntryLastCommit',
  {
    name: z.string(),
    commit_id: z.string(),
    title: z.string(),
    author_name: z.string(),
    committed_date: time(),
  },
  ({ name, commit }: EntryCommit) => ({
    name,
    commit_id: commit.id,
    title: commit.title,
    author_name: commit.author_name,
    committed_date: wireTime(commit.committed_date),
  }),
)
