import { z } from 'zod'

import type { Commit } from '../../../git/read/commits.ts'
import type { FileDiff } from '../../../git/read/diff.ts'
import { entity } from '../../../http/entity.ts'
import { refUrl } from '../refs/entity.ts'
import { commitFields, commitView, diffFields, diffView } from '../commits/entity.ts'

/** The differences between two revisions. */
export interface CompareRow {
  /** Full path of the project. */
  readonly path: string
  readonly from: string
  readonly to: string
  /** The newest commit; null if there is none. */
  readonly commit: Commit | null
  /** The commits, oldest first. */
  readonly commits: readonly Commit[]
  readonly diffs: readonly FileDiff[]
  readonly unidiff: boolean
  /** True if commits or diffs are missing because of a limit. */
  readonly overflow: boolean
  readonly same: boolean
}

/** A comparison (spec core 4.1). */
export const Compare = entity(
  'Compare',
  {
    commit: z.object(commitFields).nullable(),
    commits: z.array(z.object(commitFields)),
    diffs: z.array(z.object(diffFields)),
    compare_timeout: z.boolean(),
    compare_same_ref: z.boolean(),
    web_url: z.string(),
  },
  (row: CompareRow, at) => ({
    commit: row.commit && commitView({ commit: row.commit, path: row.path }, at),
    commits: row.commits.map((commit) => commitView({ commit, path: row.path }, at)),
    diffs: row.diffs.map((file) => diffView(file, row.unidiff)),
    compare_timeout: row.overflow,
    compare_same_ref: row.same,
    web_url: `${at.url}/${row.path}/-/compare/${refUrl(row.from)}...${refUrl(row.to)}`,
  }),
)
