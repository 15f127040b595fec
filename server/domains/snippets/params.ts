import { choice, hash, int, list, text, timestamp } from '../../http/params.ts'
import { fail, Failure } from '../../lib/fail.ts'
import { changesOfOneFile, type FileChange, type SnippetChanges } from './service.ts'
import type { SnippetRow } from './types.ts'

/** The maximum size of a request body, in bytes. The setting `snippet_size_limit` limits snippets further. */
export const MAX_BODY = 64 * 1024 * 1024

const visibility = () => choice('private', 'internal', 'public')
const path = () => text({ max: 4096, notEmpty: true })

export const idParam = { id: int({ min: 1 }).describe('The ID of the snippet') }
export const snippetIdParam = { snippet_id: int({ min: 1 }).describe('The ID of the snippet') }

/** Time filters of lists. */
export const timeParams = {
  created_after: timestamp().optional().describe('Return snippets created at or after a time'),
  created_before: timestamp().optional().describe('Return snippets created at or before a time'),
}

const texts = {
  description: text().nullable().optional().describe('The description of the snippet, in Markdown'),
  file_name: text({ max: 4096 }).optional().describe('The name of the only file'),
  content: text({ max: MAX_BODY }).optional().describe('The content of the only file'),
}

/** Parameters of a new snippet, except its visibility. */
export const createParams = {
  title: text({ notEmpty: true }).describe('The title of the snippet'),
  ...texts,
  files: list(
    hash({
      file_path: path().describe('The path of the file'),
      content: text({ max: MAX_BODY }).describe('The content of the file'),
    }),
    {
      max: 100,
    },
  )
    .optional()
    .describe('The files of the snippet, instead of a single file'),
}

/** Parameters of an update. */
export const updateParams = {
  title: text({ notEmpty: true }).optional().describe('The title of the snippet'),
  ...texts,
  visibility: visibility().optional().describe('The visibility of the snippet'),
  files: list(
    hash({
      action: choice('create', 'update', 'delete', 'move').describe('The change to the file'),
      file_path: path().optional().describe('The path of the file'),
      previous_path: text({ max: 4096 }).optional().describe('The current path of a moved file'),
      content: text({ max: MAX_BODY }).optional().describe('The content of the file'),
    }),
    { max: 100 },
  )
    .optional()
    .describe('The changes to files'),
}

/** The visibility of a new snippet, which is required for project snippets. */
export const visibilityParam = {
  visibility: visibility().default('internal').describe('The visibility of the snippet'),
}

export const requiredVisibility = { visibility: visibility().describe('The visibility of the snippet') }

interface FilesInput {
  readonly files?: readonly { file_path: string; content: string }[] | undefined
  readonly content?: string | undefined
  readonly file_name?: string | undefined
}

/** The files of a new snippet, from `files` or from the single `content`. Throws 400 for content without a file name. */
export function newFiles(files: FilesInput): FileChange[] {
  if (files.files) {
    if (files.files.length === 0) throw fail('parameter', 'files is empty')
    return files.files.map((file) => ({ action: 'create', ...file }))
  }
  if (!files.file_name) throw new Failure('parameter', 'file_name is missing')
  return [{ action: 'create', file_path: files.file_name, content: files.content }]
}

/** File changes for the service. A change without a path applies to its previous path. */
function fileChanges(
  files: readonly {
    action: FileChange['action']
    file_path?: string | undefined
    previous_path?: string | undefined
    content?: string | undefined
  }[],
): FileChange[] {
  return files.map((file, index) => {
    const file_path = file.file_path ?? file.previous_path
    if (!file_path) throw fail('parameter', `files[${index}][file_path] is missing`)
    return { ...file, file_path }
  })
}

interface ChangesInput extends Omit<FilesInput, 'files'> {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
  readonly visibility?: SnippetChanges['visibility']
  readonly files?: Parameters<typeof fileChanges>[0] | undefined
}

/** The changes of an update. Files come from `files` or from the single `file_name` and `content`. */
export function changesFrom(snippet: SnippetRow, changes: ChangesInput): SnippetChanges {
  const { title, description, visibility } = changes
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(visibility === undefined ? {} : { visibility }),
    files: changes.files ? fileChanges(changes.files) : changesOfOneFile(snippet, changes),
  }
}
