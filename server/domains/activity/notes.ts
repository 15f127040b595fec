import type { Ctx } from '../../ctx.ts'
import { listCommits } from '../../git/log.ts'
import { notesById } from '../notes/index.ts'
import { projectById, repoOf } from '../projects/index.ts'
import { record } from './service.ts'

/**
 * Writes a line for a note that a person wrote under a commit, with the title of the commit. The feed shows it to those
 * who read the code; who may see a snippet, it does not know.
 */
export async function recordNote(
  ctx: Ctx,
  fact: { note_id: number; project_id: number | null; commit_id: string | null; system: boolean },
): Promise<void> {
  const note = notesById(ctx.db, [fact.note_id]).get(fact.note_id)
  if (!note || fact.system || fact.commit_id === null) return
  record(ctx, {
    project_id: note.project_id,
    author_id: note.author_id,
    action: 'commented',
    target_type: note.type ?? 'Note',
    target_id: note.id,
    target_title: await titleOf(ctx, fact.project_id, fact.commit_id),
  })
}

async function titleOf(ctx: Ctx, projectId: number | null, commit: string): Promise<string | null> {
  const project = projectId === null ? undefined : projectById(ctx.db, projectId)
  if (!project) return null
  const found = await listCommits(repoOf(ctx, project), { range: { tips: [commit] }, limit: 1 })
  return found[0]?.title ?? null
}
