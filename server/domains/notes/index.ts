export type { Noteable, NoteableKind } from './noteable.ts'
export type { GivenPosition, Position } from './position.ts'
export { lineCode } from './position.ts'
export { badLineCode, checkPosition, type DiffRefs } from './check-position.ts'
export { notePlace } from './context.ts'
export { noteEndpoints } from './note-endpoints.ts'
export { discussionEndpoints } from './discussion-endpoints.ts'
export {
  createNote,
  deleteNote,
  findNote,
  findNotes,
  MAX_NOTE,
  updateNote,
  type NotePlace,
} from './service.ts'
export {
  checkReply,
  findDiscussions,
  getDiscussion,
  notesOf as findThread,
  reply,
  startDiscussion,
} from './discussions.ts'
export { position as positionParam } from './params.ts'
export { checkMayResolve, resolveDiscussion } from './resolve.ts'
export { diffThreadsOf, moveThreads, outdateThread, type DiffThread } from './diff-threads.ts'
export { carryOut, type SayingPlace } from './say.ts'
export { placeIn } from './threads.ts'
export { byIds as suggestionsById, markApplied as markSuggestionsApplied } from './suggestions-store.ts'
export type { NewSuggestion, SuggestionView } from './suggestions-store.ts'
export { countOpenThreads as openThreads, removeAll as removeNotesOf, type NoteRow } from './store.ts'
export { byIds as noteRowsById } from './store.ts'
export { notesById, type NoteView } from './views.ts'
export type { PlacedSuggestion } from './suggestion-entity.ts'
export { writeSystemNote, type SystemNote } from './system-notes.ts'
export { linesOf as diffLines, type DiffLine } from './diff-lines.ts'
