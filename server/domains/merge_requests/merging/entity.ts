import { z } from 'zod'

import { entity } from '../../../http/entity.ts'

/** The answer to cancelling an automatic merge (spec core 5.2). */
export const CancelledAutoMerge = entity('CancelledAutoMerge', { status: z.literal('success') }, () => ({
  status: 'success' as const,
}))

/** The answer to starting a rebase (spec core 5.2). */
export const RebaseProgress = entity(
  'RebaseProgress',
  { rebase_in_progress: z.boolean() },
  (row: { rebase_in_progress: boolean }) => ({ rebase_in_progress: row.rebase_in_progress }),
)

/** The commit that merging would make (spec core 5.2). */
export const MergeRef = entity('MergeRef', { commit_id: z.string() }, (row: { commit_id: string }) => row)

/** A file with merge conflicts. An addition to the contract. */
export const ConflictingFile = entity('ConflictingFile', { path: z.string() }, (row: { path: string }) => row)
