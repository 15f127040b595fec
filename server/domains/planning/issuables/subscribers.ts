import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { MergeRequestCreated, MergeRequestUpdated } from '../../merge_requests/events.ts'
import { NoteCreated, NoteUpdated } from '../../discussions/notes/events.ts'
import { notesById } from '../../discussions/index.ts'
import { inNameOf } from './acting.ts'
import { crossReference } from './cross-references.ts'
import { issuableRow, sourceOfNote } from './store-references.ts'
import { projectById } from '../../projects/index.ts'
import { issuableOf } from './issuable.ts'

/** Writes cross references for what a note mentions. Internal notes create none. */
function mentionFromNote(ctx: Ctx, event: { note_id: number; system: boolean; internal: boolean }): void {
  if (event.system || event.internal) return
  const note = notesById(ctx.db, [event.note_id]).get(event.note_id)
  const userCtx = note && inNameOf(ctx, note.author_id)
  const found = userCtx && sourceOfNote(ctx, note)
  if (!found) return
  tx(ctx.db, () => crossReference(userCtx, found.project, found.source, note.note))
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

/** Writes cross references for what the description of a merge request mentions. */
export function mentionFromRequest(
  ctx: Ctx,
  event: { merge_request_id: number; actor_id: number | null },
): void {
  const row = issuableRow(ctx.db, 'MergeRequest', event.merge_request_id)
  const project = row && projectById(ctx.db, row.project_id)
  const userCtx = inNameOf(ctx, event.actor_id)
  if (!project || !userCtx || !row.description) return
  const source = issuableOf('MergeRequest', row)
  tx(ctx.db, () => crossReference(userCtx, project, source, row.description!))
}
