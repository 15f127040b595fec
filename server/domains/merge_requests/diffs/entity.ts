import { z } from 'zod'

import type { Commit as GitCommit } from '../../../git/read/commits.ts'
import type { FileDiff } from '../../../git/read/diff.ts'
import { entity, time } from '../../../http/entity.ts'
import { commitFields, commitView, diffFields, diffView } from '../../repository/commits/entity.ts'
import { singleFields, singleView } from '../entity.ts'
import type { MergeRequestSingleView } from '../types.ts'
import type { DiffVersionRow } from './store.ts'

const versionFields = {
  id: z.int(),
  head_commit_sha: z.string(),
  base_commit_sha: z.string().nullable(),
  start_commit_sha: z.string(),
  created_at: time(),
  merge_request_id: z.int(),
  state: z.enum(['collected', 'overflow', 'without_files', 'empty']),
  real_size: z.string().nullable(),
  patch_id_sha: z.string().nullable(),
}

function versionView(row: DiffVersionRow) {
  return {
    id: row.id,
    head_commit_sha: row.head_commit_sha,
    base_commit_sha: row.base_commit_sha,
    start_commit_sha: row.start_commit_sha,
    created_at: row.created_at,
    merge_request_id: row.merge_request_id,
    state: row.state,
    real_size: row.real_size,
    patch_id_sha: row.patch_id,
  }
}

/** A diff version of a merge request (spec core 5.2). */
export const DiffVersion = entity('DiffVersion', versionFields, versionView)

/** A version with its commits and files. */
export interface DiffVersionDetailRow {
  readonly version: DiffVersionRow
  /** Full path of the project. */
  readonly path: string
  /** Newest first. */
  readonly commits: readonly GitCommit[]
  readonly diffs: readonly FileDiff[]
  readonly unidiff: boolean
}

/** A diff version with its commits and files (spec core 5.2). */
export const DiffVersionDetail = entity(
  'DiffVersionDetail',
  {
    ...versionFields,
    commits: z.array(z.object(commitFields)),
    diffs: z.array(z.object(diffFields)),
  },
  (row: DiffVersionDetailRow, at) => ({
    ...versionView(row.version),
    commits: row.commits.map((commit) => commitView({ commit, path: row.path }, at)),
    diffs: row.diffs.map((file) => diffView(file, row.unidiff)),
  }),
)

/** A merge request with its changed files. */
export interface ChangesRow {
  readonly view: MergeRequestSingleView
  readonly files: readonly FileDiff[]
  readonly unidiff: boolean
  /** Whether files were left out. */
  readonly overflow: boolean
}

/** A merge request with its changes (spec core 5.2). */
export const MergeRequestChanges = entity(
  'MergeRequestChanges',
  { ...singleFields, changes: z.array(z.object(diffFields)), overflow: z.boolean() },
  (row: ChangesRow, at) => ({
    ...singleView(row.view, at),
    changes: row.files.map((file) => diffView(file, row.unidiff)),
    overflow: row.overflow,
  }),
)
