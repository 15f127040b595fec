import { choice, hash, int, list, text, timestamp } from '../../http/params.ts'
import { fail, Failure } from '../../lib/fail.ts'
import { changesOfOneFile, type FileChange, type SnippetChanges } from './service.ts'
import type { SnippetRow } from './types.ts'

/** Largest body with the contents of files, bytes; the setting `snippet_size_limit` asks for less. */
export const MAX_BODY = 64 * 1024 * 1024

const visibility = () => choice('private', 'internal', 'public')
const path = () => text({ max: 4096, notEmpty: true })

export const idParam = { id: int({ min: 1 }).describe('Id of the snippet') }
export const snippetIdParam = { snippet_id: int({ min: 1 }).describe('Id of the snippet') }

/** Filters of the lists by time. */
export const timeParams = {
  created_after: timestamp().optional().describe('Only snippets made at or after'),
  created_before: timestamp().optional().describe('Only snippets made at or before'),
}

const texts = {
  description: text().nullable().optional().describe('Description, Markdown'),
  file_name: text({ max: 4096 }).optional().describe('Name of the one file'),
  content: text({ max: MAX_BODY }).optional().describe('Content of the one file'),
}

/** What a new snippet takes beside its visibility. */
export const createParams = {
  title: text({ notEmpty: true }).describe('Title'),
  ...texts,
  files: list(
    hash({ file_path: path().describe('Path'), content: text({ max: MAX_BODY }).describe('Content') }),
    {
      max: 100,
    },
  )
    .optional()
    .describe('Files, instead of one file'),
}

/** What can be changed. */
export const updateParams = {
  title: text({ notEmpty: true }).optional().describe('Title'),
  ...texts,
  visibility: visibility().optional().describe('Who may see it'),
  files: list(
    hash({
      action: choice('create', 'update', 'delete', 'move').describe('What to do with the file'),
      file_path: path().optional().describe('Path'),
      previous_path: text({ max: 4096 }).optional().describe('Where a file that moves is now'),
      content: text({ max: MAX_BODY }).optional().describe('Content'),
    }),
    { max: 100 },
  )
    .optional()
    .describe('Changes of files'),
}

/** Visibility of a new snippet: personal ones have a default, those of projects say it. */
export const visibilityParam = { visibility: visibility().default('internal').describe('Who may see it') }
export const requiredVisibility = { visibility: visibility().describe('Who may see it') }

interface GivenFiles {
  readonly files?: readonly { file_path: string; content: string }[] | undefined
  readonly content?: string | undefined
  readonly file_name?: string | undefined
}

/** The files of a new snippet, in either form. Throws 400 when a content has no name. */
export function newFiles(given: GivenFiles): FileChange[] {
  if (given.files) {
    if (given.files.length === 0) throw fail('parameter', 'files is empty')
    return given.files.map((file) => ({ action: 'create', ...file }))
  }
  if (!given.file_name) throw new Failure('parameter', 'file_name is missing')
  return [{ action: 'create', file_path: given.file_name, content: given.content }]
}

/** Changes as the service takes them; a change of a file without a path means the previous one. */
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

interface GivenChanges extends Omit<GivenFiles, 'files'> {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
  readonly visibility?: SnippetChanges['visibility']
  readonly files?: Parameters<typeof fileChanges>[0] | undefined
}

/** The changes of an update, whichever of the two forms its files have. */
export function changesFrom(snippet: SnippetRow, given: GivenChanges): SnippetChanges {
  const { title, description, visibility } = given
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(visibility === undefined ? {} : { visibility }),
    files: given.files ? fileChanges(given.files) : changesOfOneFile(snippet, given),
  }
}
