import type { Exchange } from '../../../http/endpoint.ts'
import { as, type Shown } from '../../../http/entity.ts'
import { NoteCommands } from './entity.ts'
import type { Said } from './comment.ts'
import type { NoteView } from './views.ts'

/** The answer where a text was nothing but commands, as `also` of an endpoint. */
export const COMMANDS_ALONE = { 202: 'The text was commands alone, which were carried out' }

/** Answers with what was written, by `show`; 202 with what commands did where they stood alone. */
export function showSaid<Written>(
  ctx: { readonly http: Exchange },
  { written, outcome }: Said<Written>,
  show: (written: Written) => Shown,
): Shown {
  if (written !== undefined) return show(written)
  ctx.http.status(202)
  return as(NoteCommands, outcome) as Shown
}

/** A note that was just written, with what its commands did. */
export function withChanges(note: NoteView, { outcome }: Said<unknown>): NoteView {
  return { ...note, commands_changes: outcome.changes }
}
