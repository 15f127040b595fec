import { domain } from '../../domain.ts'
import { REPORTER } from '../../policy/levels.ts'
import { project, projectEventsWhere } from '../projects/index.ts'

export { awardEndpoints } from './award_emoji/award-routes.ts'
export { awardable, type Awardable, type AwardKind } from './award_emoji/service.ts'
export { toggleAward } from './award_emoji/service.ts'
export type { AwardRow } from './award_emoji/store.ts'
export type { Noteable, NoteableKind } from './notes/types.ts'
export { type PositionInput, type Position, lineCode } from './notes/position.ts'
export { badLineCode, checkPosition, type DiffRefs } from './notes/position.ts'
export { noteTarget } from './notes/service.ts'
export { noteEndpoints } from './notes/note-routes.ts'
export { discussionEndpoints } from './notes/discussion-routes.ts'
export {
  createNote,
  deleteNote,
  findNote,
  findNotes,
  MAX_NOTE,
  updateNote,
  type NoteTarget,
} from './notes/service.ts'
export {
  checkReply,
  findDiscussions,
  getDiscussion,
  notesOf as findThread,
  reply,
  startDiscussion,
} from './notes/discussions.ts'
export { position as positionParam } from './notes/params.ts'
export { checkMayResolve, resolveDiscussion } from './notes/discussions.ts'
export { diffThreadsOf, moveThreads, outdateThread, type DiffThread } from './notes/diff-threads.ts'
export { runQuickActions, type CommentTarget } from './notes/comment.ts'
export { positionIn } from './notes/comment.ts'
export {
  byIds as suggestionsById,
  markApplied as markSuggestionsApplied,
  type NewSuggestion,
  type SuggestionView,
} from './notes/suggestions-store.ts'
export {
  countOpenThreads as openThreads,
  noteTexts,
  removeAll as removeNotesOf,
  type NoteRow,
  byIds as noteRowsById,
} from './notes/store.ts'
export { notesById, type NoteView } from './notes/views.ts'
export type { PositionedSuggestion } from './notes/entity.ts'
export { writeSystemNote, type SystemNote } from './notes/system-notes.ts'
export { linesOf as diffLines, type DiffLine } from './notes/position.ts'
export type { CommandName } from './quick_actions/commands.ts'
export { parseQuickActions, type Command, type ParsedText } from './quick_actions/parse.ts'
export { runEach, type CommandOutcome, type CommandResult } from './quick_actions/commands.ts'
export * as importedNotes from './store-imported.ts'

export const discussionsDomain = domain({
  name: 'discussions',
  endpoints: () => import('./notes/routes.ts'),
  visibleTo: [
    // Shows events of internal notes only to users with at least the Reporter role.
    projectEventsWhere(
      ['internal'],
      (ctx, owner, { internal }) => internal !== true || project.roleOf(ctx, owner) >= REPORTER,
    ),
  ],
})
