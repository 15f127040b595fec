import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { Conflicts, ConflictText } from './service.ts'

/** The conflicts of a merge request, for the window. */
export const MergeConflicts = entity(
  'MergeConflicts',
  {
    source_branch: z.string(),
    target_branch: z.string(),
    source_sha: z.string(),
    target_sha: z.string(),
    commit_message: z.string(),
    problem: z.string().nullable(),
    files: z.array(z.strictObject({ path: z.string(), problem: z.string().nullable() })),
  },
  ({ request, source_sha, target_sha, commit_message, problem, files }: Conflicts) => ({
    source_branch: request.source_branch,
    target_branch: request.target_branch,
    source_sha,
    target_sha,
    commit_message,
    problem,
    files: files.map((file) => ({ path: file.path, problem: file.problem })),
  }),
)

/** A file with conflicts: the lines that merge by themselves, and the versions of the others. */
export const MergeConflictFile = entity(
  'MergeConflictFile',
  {
    path: z.string(),
    source_sha: z.string(),
    target_sha: z.string(),
    sections: z.array(
      z.union([
        z.strictObject({ conflict: z.literal(false), text: z.string() }),
        z.strictObject({
          conflict: z.literal(true),
          id: z.string(),
          ours: z.string(),
          base: z.string(),
          theirs: z.string(),
        }),
      ]),
    ),
  },
  (row: ConflictText) => ({
    path: row.path,
    source_sha: row.source_sha,
    target_sha: row.target_sha,
    sections: row.sections.map((section) => ({ ...section })),
  }),
)

/** The commit that resolves the conflicts. */
export const ResolvedConflicts = entity(
  'ResolvedConflicts',
  { commit_id: z.string() },
  (row: { commit_id: string }) => row,
)
