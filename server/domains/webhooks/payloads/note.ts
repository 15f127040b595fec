import type { Ctx } from '../../../ctx.ts'
import { isObjectId } from '../../../git/names.ts'
import { readFile } from '../../../git/read/blob.ts'
import { GitError } from '../../../git/errors.ts'
import { type FileDiff, readDiff } from '../../../git/read/diff.ts'
import { branchTip, firstParent } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { type NoteRow, noteRowsById, lineCode, type Position } from '../../discussions/index.ts'
import { mergeRequestById } from '../../merge_requests/index.ts'
import { issueById } from '../../planning/index.ts'
import { type Project, projectById, repoOf } from '../../projects/index.ts'
import { repoOfSnippet, snippetById, type SnippetRow } from '../../snippets/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import {
  commitBlock,
  hookTime,
  projectBlock,
  projectUrl,
  repositoryBlock,
  userBlockOf,
  visibilityLevel,
  withUploads,
} from './blocks.ts'
import { issueAttributes } from './issue.ts'
import { mergeRequestAttributes } from './merge-request.ts'

/** The position of a note in a diff: the diff of its file and the code of its line. */
interface NotePositionBlock {
  readonly st_diff: object | null
  readonly line_code: string | null
}

const NO_POSITION: NotePositionBlock = { st_diff: null, line_code: null }

/** The commits, file and line of a note. One of the two line numbers may be unknown. */
interface DiffPosition {
  readonly from: string | null
  readonly to: string
  readonly paths: readonly string[]
  readonly old_line: number | null
  readonly new_line: number | null
}

/** The position fields of a note in events (spec administration 3.9); all null for a note without a position. */
async function diffPositionOf(ctx: Ctx, project: Project, note: NoteRow): Promise<NotePositionBlock> {
  const repo = repoOf(ctx, project)
  const position = note.position
    ? fromPosition(JSON.parse(note.position) as Position)
    : await fromCommitComment(note, (commit) => firstParent(repo, commit))
  if (!position || !isObjectId(position.to)) return NO_POSITION
  const file = await fileOf(repo, position)
  return file ? { st_diff: diffBlock(file), line_code: codeOf(file, position) } : NO_POSITION
}

/** The diff of the file. Undefined if a commit is missing. */
async function fileOf(repo: Repo, { from, to, paths }: DiffPosition): Promise<FileDiff | undefined> {
  try {
    const { files } = await readDiff(repo, { from, to }, { paths })
    return files.find((file) => paths.includes(file.new_path) || paths.includes(file.old_path))
  } catch (error) {
    if (error instanceof GitError && error.reason === 'exit') return undefined
    throw error
  }
}

/** The base of a diff without a parent commit: the zero ID, or the ID of the empty tree. */
const EMPTY_BASE = /^0+$|^4b825dc642cb6eb9a060e54bf8d69288fbee4904$/

function fromPosition(position: Position): DiffPosition {
  const { base_sha, head_sha, old_path, new_path, old_line = null, new_line = null } = position
  const from = EMPTY_BASE.test(base_sha) ? null : base_sha
  return { from, to: head_sha, paths: [...new Set([old_path, new_path])], old_line, new_line }
}

/** The position of a comment on a commit, which has the older form: a line of a file that the commit changes. */
async function fromCommitComment(
  note: NoteRow,
  parentOf: (commit: string) => Promise<string | null>,
): Promise<DiffPosition | undefined> {
  const { commit_id, path, line, line_type } = note
  if (commit_id === null || path === null) return undefined
  const [old_line, new_line] = line_type === 'old' ? [line, null] : [null, line]
  return { from: await parentOf(commit_id), to: commit_id, paths: [path], old_line, new_line }
}

function diffBlock(file: FileDiff) {
  const { diff, new_path, old_path, a_mode, b_mode, new_file, renamed_file, deleted_file } = file
  return { diff, new_path, old_path, a_mode, b_mode, new_file, renamed_file, deleted_file }
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** The line code: the line number on both sides of the diff. */
function codeOf(file: FileDiff, { old_line, new_line }: DiffPosition): string | null {
  if (old_line === null && new_line === null) return null
  if (old_line !== null && new_line !== null) return lineCode(file.new_path, old_line, new_line)
  let [oldLine, newLine] = [0, 0]
  for (const text of file.diff.split('\n')) {
    const hunk = HUNK.exec(text)
    if (hunk) {
      ;[oldLine, newLine] = [Number(hunk[1]), Number(hunk[2])]
      continue
    }
    const isMatch = text.startsWith('-') ? oldLine === old_line : text.startsWith('+') && newLine === new_line
    if (isMatch) return lineCode(file.new_path, oldLine, newLine)
    if (!text.startsWith('+')) oldLine++
    if (!text.startsWith('-')) newLine++
  }
  return null
}

/** The maximum size of a snippet's file in bytes. The content of a larger file is left out of the event. */
const MAX_CONTENT = 1024 * 1024

/** A snippet in events about its notes, with its first file (spec administration 3.9). */
async function snippetBlock(ctx: Ctx, snippet: SnippetRow) {
  const [file_name = null] = snippet.files
  return {
    id: snippet.id,
    title: snippet.title,
    content: file_name === null ? null : await contentOf(ctx, snippet, file_name),
    author_id: snippet.author_id,
    project_id: snippet.project_id,
    created_at: hookTime(snippet.created_at),
    updated_at: hookTime(snippet.updated_at),
    file_name,
    expires_at: null,
    type: snippet.project_id === null ? 'PersonalSnippet' : 'ProjectSnippet',
    visibility_level: visibilityLevel(snippet.visibility),
  }
}

async function contentOf(ctx: Ctx, snippet: SnippetRow, path: string): Promise<string | null> {
  const repo = repoOfSnippet(ctx, snippet)
  try {
    const tip = await branchTip(repo, snippet.default_branch)
    const file = tip === null ? null : await readFile(repo, tip, path, { maxBytes: MAX_CONTENT })
    return file && file.content.toString('utf8')
  } catch (error) {
    if (error instanceof GitError && error.reason === 'output_limit') return null
    throw error
  }
}

/** The subject of a note: its part of the event, its page, and whether it is confidential. */
export interface NoteSubject {
  readonly block: Readonly<Record<string, unknown>>
  readonly url: string
  readonly isConfidential: boolean
}

/** The columns that name the subject of a note or emoji. */
export type SubjectColumns = Pick<NoteRow, 'noteable_type' | 'noteable_id' | 'commit_id'>

/** Loads the subject of a note or emoji for events (spec administration 3.9). Undefined if it is deleted. */
export async function subjectOf(
  ctx: Ctx,
  project: Project,
  { noteable_type, noteable_id, commit_id }: SubjectColumns,
): Promise<NoteSubject | undefined> {
  const page = `${projectUrl(ctx, project)}/-`
  const notConfidential = { isConfidential: false }
  if (noteable_type === 'Commit') {
    const commit = commit_id === null ? null : await commitBlock(ctx, project, commit_id)
    return { ...notConfidential, block: { commit }, url: `${page}/commit/${commit_id}` }
  }
  const id = noteable_id ?? 0
  if (noteable_type === 'Issue') {
    const issue = issueById(ctx.db, id)
    if (!issue) return undefined
    const block = { issue: issueAttributes(ctx, project, issue) }
    return { block, url: block.issue.url, isConfidential: issue.confidential }
  }
  if (noteable_type === 'MergeRequest') {
    const request = mergeRequestById(ctx.db, id)
    if (!request) return undefined
    const block = { merge_request: await mergeRequestAttributes(ctx, project, request) }
    return { ...notConfidential, block, url: block.merge_request.url }
  }
  const snippet = snippetById(ctx.db, id)
  if (!snippet) return undefined
  return {
    ...notConfidential,
    block: { snippet: await snippetBlock(ctx, snippet) },
    url: `${page}/snippets/${id}`,
  }
}

/** The fields of a note in events. */
export async function noteAttributes(ctx: Ctx, project: Project, note: NoteRow, subjectUrl: string) {
  const parse = (position: string | null): unknown => position && JSON.parse(position)
  return {
    id: note.id,
    note: withUploads(ctx, project, note.note),
    description: withUploads(ctx, project, note.note),
    noteable_type: note.noteable_type,
    noteable_id: note.noteable_id,
    author_id: note.author_id,
    created_at: hookTime(note.created_at),
    updated_at: hookTime(note.updated_at),
    project_id: note.project_id,
    attachment: null,
    commit_id: note.commit_id ?? note.about_commit_id,
    system: note.system,
    ...(await diffPositionOf(ctx, project, note)),
    discussion_id: note.discussion_id,
    type: note.type,
    position: parse(note.position),
    original_position: parse(note.original_position),
    change_position: null,
    resolved_at: note.resolved_at && hookTime(note.resolved_at),
    resolved_by_id: note.resolved_by_id,
    resolved_by_push: note.resolved_by_push,
    updated_by_id: null,
    url: `${subjectUrl}#note_${note.id}`,
  }
}

/**
 * Makes the event of a note (spec administration 3.9). Null for personal snippets, and if the note or its subject is
 * deleted.
 */
export async function noteEvent(ctx: Ctx, noteId: number): Promise<HookEvent | null> {
  const [note] = noteRowsById(ctx.db, [noteId])
  const project = note?.project_id ? projectById(ctx.db, note.project_id) : undefined
  const subject = note && project && (await subjectOf(ctx, project, note))
  if (!subject) return null
  const kind = note.internal || subject.isConfidential ? 'confidential_note' : 'note'
  const payload = {
    object_kind: 'note',
    event_type: kind,
    user: userBlockOf(ctx, note.author_id),
    project_id: project.id,
    project: projectBlock(ctx, project),
    repository: repositoryBlock(ctx, project),
    object_attributes: await noteAttributes(ctx, project, note, subject.url),
    ...subject.block,
  }
  return { kind, project_id: project.id, payload }
}

/** An awarded emoji, from the event about it. */
export interface EmojiInput {
  readonly award_id: number
  readonly user_id: number
  readonly name: string
  readonly awardable_type: string
  readonly awardable_id: number
  readonly project_id: number | null
  readonly noteable_type: string
  readonly noteable_id: number
  readonly created_at: string
  readonly updated_at: string
}

/**
 * Makes the event of an awarded or revoked emoji. Null if the subject is deleted, belongs to no project or is
 * confidential, because all listeners of a project get emoji events.
 */
export async function emojiEvent(
  ctx: Ctx,
  emoji: EmojiInput,
  action: 'award' | 'revoke',
): Promise<HookEvent | null> {
  const project = emoji.project_id === null ? undefined : projectById(ctx.db, emoji.project_id)
  const isOnNote = emoji.awardable_type === 'Note'
  const [note] = isOnNote ? noteRowsById(ctx.db, [emoji.awardable_id]) : []
  const { noteable_type, noteable_id } = emoji
  const subject = project && (await subjectOf(ctx, project, { noteable_type, noteable_id, commit_id: null }))
  if (!subject || subject.isConfidential || (isOnNote && note?.internal !== false)) return null
  const payload = {
    object_kind: 'emoji',
    event_type: action,
    user: userBlockOf(ctx, emoji.user_id),
    project_id: project.id,
    project: projectBlock(ctx, project),
    object_attributes: {
      user_id: emoji.user_id,
      created_at: hookTime(emoji.created_at),
      id: emoji.award_id,
      name: emoji.name,
      awardable_type: emoji.awardable_type,
      awardable_id: emoji.awardable_id,
      updated_at: hookTime(emoji.updated_at),
      action,
      awarded_on_url: note ? `${subject.url}#note_${note.id}` : subject.url,
    },
    ...(note ? { note: await noteAttributes(ctx, project, note, subject.url) } : {}),
    ...subject.block,
  }
  return { kind: 'emoji', project_id: project.id, payload }
}
