import type { Ctx } from '../../ctx.ts'
import { listCommits } from '../../git/log.ts'
import { notesById, type NoteView } from '../discussions/index.ts'
import { projectById, repoOf } from '../projects/index.ts'
import { record } from './service.ts'

/** Writes a line for a note that a person wrote, with the title of what it is written under. */
export async function recordNote(ctx: Ctx, event: { note_id: number; system: boolean }): Promise<void> {
  const note = notesById(ctx.db, [event.note_id]).get(event.note_id)
  if (!note || event.system) return
  record(ctx, {
    project_id: note.project_id,
    author_id: note.author_id,
    action: 'commented',
    target_type: note.type ?? 'Note',
    target_id: note.id,
    target_iid: note.id,
    target_title: await titleOf(ctx, note),
  })
}

const TABLES: Readonly<Record<string, string>> = {
  Issue: 'issues',
  MergeRequest: 'merge_requests',
  Snippet: 'snippets',
}

async function titleOf(ctx: Ctx, note: NoteView): Promise<string | null> {
  const table = TABLES[note.noteable_type]
  if (table !== undefined) {
    const row = ctx.db.one<{ title: string }>(`SELECT title FROM ${table} WHERE id = ?`, note.noteable_id)
    return row?.title ?? null
  }
  const project = note.project_id === null ? undefined : projectById(ctx.db, note.project_id)
  if (!project || note.commit_id === null) return null
  const range = { tips: [note.commit_id] }
  const found = await listCommits(repoOf(ctx, project), { range, limit: 1 })
  return found[0]?.title ?? null
}
