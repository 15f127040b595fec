import { z } from 'zod'
import type { Commit } from '../../../git/read/commits.ts'
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

/** Consecutive lines of a file that come from one commit. */
export interface BlameRow {
  readonly commit: Commit
  readonly lines: readonly string[]
}

/** Consecutive lines with their commit (spec core 4.2). */
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

/** A file at a ref, without its content. */
export interface FileInfo {
  readonly file_path: string
  /** The size in bytes. */
  readonly size: number
  readonly content_sha256: string
  readonly ref: string
  readonly blob_id: string
  readonly commit_id: string
  readonly last_commit_id: string
  readonly execute_filemode: boolean
}

/** Returns the last part of a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** A file with its content (spec core 4.2). */
export const File = entity(
  'File',
  {
    file_name: z.string(),
    file_path: z.string(),
    size: z.int(),
    encoding: z.literal('base64'),
    content_sha256: z.string(),
    ref: z.string(),
    blob_id: z.string(),
    commit_id: z.string(),
    last_commit_id: z.string(),
    execute_filemode: z.boolean(),
    content: z.string(),
  },
  ({ content, file_path, size, ...info }: FileInfo & { content: Buffer }) => ({
    file_name: fileName(file_path),
    file_path,
    size,
    encoding: 'base64' as const,
    content_sha256: info.content_sha256,
    ref: info.ref,
    blob_id: info.blob_id,
    commit_id: info.commit_id,
    last_commit_id: info.last_commit_id,
    execute_filemode: info.execute_filemode,
    content: content.toString('base64'),
  }),
)

/** The metadata of a file as headers. `serviceHeaders` adds their prefix. */
export function fileHeaders(info: FileInfo): Record<string, string> {
  return {
    'Blob-Id': info.blob_id,
    'Commit-Id': info.commit_id,
    'Content-Sha256': info.content_sha256,
    Encoding: 'base64',
    'Execute-Filemode': String(info.execute_filemode),
    'File-Name': headerText(fileName(info.file_path)),
    'File-Path': headerText(info.file_path),
    'Last-Commit-Id': info.last_commit_id,
    Ref: headerText(info.ref),
    Size: String(info.size),
  }
}

/** Converts text to the value of a header. Text with other characters than ASCII is percent-encoded. */
function headerText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodeURI(text)
}

/** The answer to a write of one file. */
export const FileWritten = entity(
  'FileWritten',
  { file_path: z.string(), branch: z.string() },
  (row: { file_path: string; branch: string }) => ({ file_path: row.file_path, branch: row.branch }),
)
