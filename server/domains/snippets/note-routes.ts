import { awardEndpoints } from '../discussions/index.ts'
import { discussionEndpoints, noteEndpoints, type NoteableKind } from '../discussions/index.ts'
import { findIn } from './find.ts'
import { snippetIdParam } from './params.ts'
import { abilities } from './policy.ts'

/** Snippets of projects: only threads can be answered, and nothing is resolved (spec core 5.5). */
const kind: NoteableKind = {
  path: '/snippets/:snippet_id',
  title: 'snippet',
  params: snippetIdParam,
  read: abilities.read_snippets,
  write: abilities.comment_snippet,
  load(ctx, project, params) {
    const { id } = findIn(ctx, project, Number(params['snippet_id']))
    return { type: 'Snippet', project_id: project.id, id, sha: null, iid: null }
  },
  singleNotesCanBeAnswered: false,
  threadsResolve: false,
  notesCanBeInternal: false,
}

export const snippetNotes = noteEndpoints(kind)
export const snippetDiscussions = discussionEndpoints(kind)
export const snippetAwards = awardEndpoints(kind)
