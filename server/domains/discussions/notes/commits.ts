import type { Ctx } from '../../../ctx.ts'
import { readDiff } from '../../../git/read/diff.ts'
import { firstParent, resolveCommit } from '../../../git/read/revisions.ts'
import { notFound } from '../../../lib/fail.ts'
import { inRepository, type Project } from '../../projects/index.ts'
import { findChanged, checkPosition } from './position.ts'
import { commitParam } from './params.ts'
import { abilities } from './policy.ts'
import { createNote, type NewNote, type NoteTarget } from './service.ts'
import type { Noteable, NoteableKind } from './types.ts'
import type { NoteView } from './views.ts'

/** Finds the commit that a ref or ID names, as a noteable. Throws 404. */
export function commitNoteable(ctx: Ctx, project: Project, name: string): Promise<Noteable> {
  return inRepository(ctx, project, async (repo) => {
    const id = await resolveCommit(repo, name)
    if (id === null) throw notFound('Commit')
    return { type: 'Commit', project_id: project.id, id: null, sha: id, iid: null }
  })
}

/** Commits as noteables: only threads accept replies, and threads cannot be resolved. */
export const commitKind: NoteableKind = {
  path: '/repository/commits/:sha',
  title: 'commit',
  params: { sha: commitParam },
  read: abilities.read_commit_notes,
  write: abilities.create_commit_note,
  load: (ctx, project, params) => commitNoteable(ctx, project, String(params['sha'])),
  singleNotesCanBeAnswered: false,
  threadsResolve: false,
  notesCanBeInternal: false,
  resolvePosition: (ctx, project, noteable, position) =>
    inRepository(ctx, project, async (repo) => {
      const parent = await firstParent(repo, noteable.sha!)
      return checkPosition(repo, { base: parent, start: parent, head: noteable.sha! }, position)
    }),
}

/** A comment on a commit, as the endpoint for commit comments accepts it. */
export interface CommentInput {
  readonly note: string
  readonly path?: string | undefined
  readonly line?: number | undefined
  readonly line_type: 'new' | 'old'
}

/**
 * Writes a comment on a commit. Ignores a line that the commit did not change, as clients expect; the comment is then
 * about the whole commit.
 */
export async function comment(
  ctx: Ctx,
  project: Project,
  target: NoteTarget,
  input: CommentInput,
): Promise<NoteView> {
  const line = await changedLine(ctx, project, target.noteable.sha!, input)
  return createNote(ctx, target, { body: input.note, ...(line ? { comment_line: line } : {}) })
}

function changedLine(
  ctx: Ctx,
  project: Project,
  commit: string,
  { path, line, line_type }: CommentInput,
): Promise<NewNote['comment_line'] | undefined> {
  return inRepository(ctx, project, async (repo) => {
    if (!path || line === undefined) return undefined
    const { files } = await readDiff(repo, { from: await firstParent(repo, commit), to: commit })
    const file = files.find(
      (entry) => entry.new_path === path || (line_type === 'old' && entry.old_path === path),
    )
    return file && findChanged(file.diff, line_type, line) ? { path, line, line_type } : undefined
  })
}
