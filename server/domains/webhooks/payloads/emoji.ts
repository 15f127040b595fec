import type { Ctx } from '../../../ctx.ts'
import { noteRowsById } from '../../discussions/index.ts'
import { projectById } from '../../projects/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import { hookTime, projectBlock, userBlockOf } from './blocks/index.ts'
import { noteAttributes, subjectOf } from './note.ts'

/** An emoji, as the events about it tell. */
export interface GivenEmoji {
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
 * The event of an emoji that was given or taken back. Null where what it is under is gone, is no project's, or only a few
 * may know of it: there is one kind of such events for everybody.
 */
export async function emojiEvent(
  ctx: Ctx,
  emoji: GivenEmoji,
  action: 'award' | 'revoke',
): Promise<HookEvent | null> {
  const project = emoji.project_id === null ? undefined : projectById(ctx.db, emoji.project_id)
  const isOfNote = emoji.awardable_type === 'Note'
  const [note] = isOfNote ? noteRowsById(ctx.db, [emoji.awardable_id]) : []
  const { noteable_type, noteable_id } = emoji
  const subject = project && (await subjectOf(ctx, project, { noteable_type, noteable_id, commit_id: null }))
  if (!subject || subject.isConfidential || (isOfNote && note?.internal !== false)) return null
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
