import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { AwardAdded, AwardRemoved } from '../discussions/award_emoji/events.ts'
import { NoteCreated } from '../discussions/notes/events.ts'
import { emojiEvent, type GivenEmoji } from './payloads/emoji.ts'
import { noteEvent } from './payloads/note.ts'
import { isListened, record } from './recording/record.ts'

type Award = GivenEmoji & { readonly actor_id: number | null }

const isHeard = ({ project_id }: Award, { db }: Ctx): boolean =>
  project_id !== null && isListened(db, 'emoji', { project_id })

/** Giving and taking back in their order. */
const key = ({ project_id }: Award): string => `webhooks.award:${project_id}`

async function tellEmoji(ctx: Ctx, award: Award, action: 'award' | 'revoke'): Promise<void> {
  const event = await emojiEvent(ctx, award, action)
  if (event) record(ctx, event, award.actor_id)
}

/** Events of notes that people write, and of emoji. */
export const noteSubscribers: Subscription[] = [
  on(
    NoteCreated,
    'webhooks.note',
    async (ctx, { note_id, actor_id }) => {
      const event = await noteEvent(ctx, note_id)
      if (event && isListened(ctx.db, event.kind, event)) record(ctx, event, actor_id)
    },
    {
      only: ({ project_id, system }, { db }) =>
        project_id !== null &&
        !system &&
        (isListened(db, 'note', { project_id }) || isListened(db, 'confidential_note', { project_id })),
    },
  ),
  on(AwardAdded, 'webhooks.award', (ctx, award) => tellEmoji(ctx, award, 'award'), { only: isHeard, key }),
  on(AwardRemoved, 'webhooks.award_removed', (ctx, award) => tellEmoji(ctx, award, 'revoke'), {
    only: isHeard,
    key,
  }),
]
