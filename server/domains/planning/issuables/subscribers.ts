import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { MergeRequestCreated, MergeRequestUpdated } from '../../merge_requests/events.ts'
import { NoteCreated, NoteUpdated } from '../../discussions/notes/events.ts'
import { notesById } from '../../discussions/index.ts'
import { inNameOf } from './acting.ts'
import { projectById } from '../../projects/index.ts'
import { crossReference, sourceOfNote } from './cross-references.ts'
import { issuableOf, type IssuableColumns } from './issuable.ts'

/** Writes what a note names into the conversations of those things. Internal notes name nothing to others. */
function mentionFromNote(ctx: Ctx, event: { note_id: number; system: boolean; internal: boolean }): void {
  if (event.system || event.internal) return
  const note = notesById(ctx.db, [event.note_id]).get(event.note_id)
  const theirs = note && inNameOf(ctx, note.author_id)
  const found = theirs && sourceOfNote(ctx, note)
  if (!found) return
  tx(ctx.db, () => crossReference(theirs, found.project, found.source, note.note))
}

/** The same for the description of a merge request. */
function mentionFromRequest(ctx: Ctx, event: { merge_request_id: number; actor_id: number | null }): void {
  const sql = 'SELECT * FROM merge_requests WHERE id = ?'
  const row = ctx.db.one<IssuableColumns>(sql, event.merge_request_id)
  const project = row && projectById(ctx.db, row.project_id)
  const theirs = inNameOf(ctx, event.actor_id)
  if (!project || !theirs || !row.description) return
  const source = issuableOf('MergeRequest', row)
  tx(ctx.db, () => crossReference(theirs, project, source, row.description!))
}

export const subscribers: Subscription[] = [
  on(NoteCreated, 'issuables.mention', mentionFromNote),
  on(MergeRequestCreated, 'issuables.mention_request', mentionFromRequest),
  on(MergeRequestUpdated, 'issuables.mention_request_again', (ctx, event) => {
    if (event.changed.includes('description')) mentionFromRequest(ctx, event)
  }),
  on(NoteUpdated, 'issuables.mention_again', (ctx, event) => {
    if (event.changed.includes('note')) mentionFromNote(ctx, event)
  }),
]
