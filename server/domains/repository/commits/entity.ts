import { z } from 'zod'
import type { Selectable } from 'kysely'

import type { Commit as GitCommit, Stats } from '../../../git/read/commits.ts'
import type { FileDiff } from '../../../git/read/diff.ts'
import { entity, time } from '../../../http/entity.ts'
import type { CiPipelinesTable } from '../../../db/schema.gen.ts'

/** The columns of a commit's newest pipeline that its entity contains. */
export type CommitPipeline = Pick<
  Selectable<CiPipelinesTable>,
  'id' | 'iid' | 'project_id' | 'sha' | 'ref' | 'status' | 'source' | 'created_at' | 'updated_at' | 'name'
>

/** A pipeline inside a commit, with the same fields as in lists of pipelines (spec core 0.1, PipelineBasic). */
export const commitPipelineSchema = z.strictObject({
  id: z.int(),
  iid: z.int(),
  project_id: z.int(),
  sha: z.string(),
  ref: z.string(),
  status: z.string(),
  source: z.string(),
  created_at: time(),
  updated_at: time(),
  web_url: z.string(),
  name: z.string().nullable(),
})

/** A pipeline inside the commit of a project. */
export function commitPipelineView(pipeline: CommitPipeline, path: string, at: { readonly url: string }) {
  return { ...pipeline, web_url: `${at.url}/${path}/-/pipelines/${pipeline.id}` }
}

/** A commit of a project. */
export interface CommitRow {
  readonly commit: GitCommit
  /** The full path of the project, for URLs. */
  readonly path: string
  readonly project_id: number
  readonly stats?: Stats | undefined
  /** The newest pipeline of the commit. */
  readonly pipeline?: CommitPipeline | undefined
}

/** The fields of a commit, for entities that contain one. */
export const commitFields = {
  id: z.string(),
  short_id: z.string(),
  created_at: time(),
  parent_ids: z.array(z.string()),
  title: z.string(),
  message: z.string(),
  author_name: z.string(),
  author_email: z.string(),
  authored_date: time(),
  committer_name: z.string(),
  committer_email: z.string(),
  committed_date: time(),
  trailers: z.record(z.string(), z.string()),
  web_url: z.string(),
}
const statsFields = { additions: z.int(), deletions: z.int(), total: z.int() }

/** Converts git's date, which has whole seconds and the author's time zone, to the format of answers with milliseconds. */
export function wireTime(date: string): string {
  return date.replace(/(?=[+-]\d\d:\d\d$)/, '.000')
}

/** The JSON of a commit, which branches, tags and comparisons contain too. */
export function commitView({ commit, path }: Pick<CommitRow, 'commit' | 'path'>, at: { url: string }) {
  return {
    id: commit.id,
    short_id: commit.id.slice(0, 8),
    created_at: wireTime(commit.committed_date),
    parent_ids: [...commit.parent_ids],
    title: commit.title,
    message: commit.message,
    author_name: commit.author_name,
    author_email: commit.author_email,
    authored_date: wireTime(commit.authored_date),
    committer_name: commit.committer_name,
    committer_email: commit.committer_email,
    committed_date: wireTime(commit.committed_date),
    trailers: Object.fromEntries(commit.trailers),
    web_url: `${at.url}/${path}/-/commit/${commit.id}`,
  }
}

function statsView(stats: Stats) {
  const { additions, deletions } = stats
  return { additions, deletions, total: additions + deletions }
}

/** A commit in a list (spec core 0.1), with `stats` if requested. */
export const Commit = entity(
  'Commit',
  { ...commitFields, stats: z.object(statsFields).optional() },
  (row: CommitRow, at) => ({
    ...commitView(row, at),
    ...(row.stats ? { stats: statsView(row.stats) } : {}),
  }),
)

/** One commit (spec core 0.1, CommitDetail). */
export const CommitDetail = entity(
  'CommitDetail',
  {
    ...commitFields,
    stats: z.object(statsFields).optional(),
    status: z.string().nullable(),
    project_id: z.int(),
    last_pipeline: commitPipelineSchema.nullable(),
  },
  (row: CommitRow, at) => ({
    ...commitView(row, at),
    ...(row.stats ? { stats: statsView(row.stats) } : {}),
    status: row.pipeline?.status ?? null,
    project_id: row.project_id,
    last_pipeline: row.pipeline ? commitPipelineView(row.pipeline, row.path, at) : null,
  }),
)

/** The fields of one file's change, for entities that contain it. */
export const diffFields = {
  diff: z.string(),
  new_path: z.string(),
  old_path: z.string(),
  a_mode: z.string(),
  b_mode: z.string(),
  new_file: z.boolean(),
  renamed_file: z.boolean(),
  deleted_file: z.boolean(),
  collapsed: z.boolean(),
  too_large: z.boolean(),
  additions: z.int(),
  deletions: z.int(),
}

/** The change of a file and its display options. */
export interface DiffRow {
  readonly file: FileDiff
  /** True to add the two header lines with the file names, which patch programs expect. */
  readonly unidiff: boolean
}

/** The change of one file (spec core 0.1). */
export const Diff = entity('Diff', diffFields, (row: DiffRow) => diffView(row.file, row.unidiff))

/** The JSON of a file's change, which other entities contain too. */
export function diffView(file: FileDiff, unidiff = false) {
  return {
    diff: unidiff ? fileHeader(file) + file.diff : file.diff,
    new_path: file.new_path,
    old_path: file.old_path,
    a_mode: file.a_mode,
    b_mode: file.b_mode,
    new_file: file.new_file,
    renamed_file: file.renamed_file,
    deleted_file: file.deleted_file,
    collapsed: file.collapsed,
    too_large: file.too_large,
    additions: file.additions,
    deletions: file.deletions,
  }
}

function fileHeader(file: FileDiff): string {
  if (file.diff === '' || file.binary) return ''
  const before = file.new_file ? '/dev/null' : `a/${file.old_path}`
  const after = file.deleted_file ? '/dev/null' : `b/${file.new_path}`
  return `--- ${before}\n+++ ${after}\n`
}

/** A branch or tag that contains a commit. */
export const CommitRef = entity(
  'CommitRef',
  { type: z.enum(['branch', 'tag']), name: z.string() },
  (row: { type: 'branch' | 'tag'; name: string }) => row,
)

/** A number of commits. */
export const CommitSequence = entity('CommitSequence', { count: z.int() }, (row: { count: number }) => row)
