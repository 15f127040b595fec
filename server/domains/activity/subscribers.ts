import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { MemberAdded, MemberRemoved } from '../members/events.ts'
import { NoteCreated } from '../discussions/notes/events.ts'
import { ProjectCreated } from '../projects/events.ts'
import { RefsUpdated } from '../repository/events.ts'
import { planning } from './planning.ts'
import { recordPush } from './pushes.ts'
import { recordNote } from './notes.ts'
import { record } from './service.ts'
import { wikiPages } from './wikis.ts'

interface Membership {
  project_id?: number | undefined
  group_id?: number | undefined
  user_id: number
  actor_id: number | null
}

/**
 * A line about a project or group itself, written by who joined or left it. Who made it became its member with that, which
 * is no news.
 */
function recordMembership(
  ctx: Ctx,
  { project_id, group_id, user_id, actor_id }: Membership,
  action: 'joined' | 'left' | 'expired',
) {
  if (action === 'joined' && actor_id === user_id) return
  const place = { project_id: project_id ?? null, namespace_id: group_id ?? null }
  record(ctx, { ...place, author_id: user_id, action })
}

export const subscribers: Subscription[] = [
  on(RefsUpdated, 'activity.push', recordPush),
  on(ProjectCreated, 'activity.project', (ctx, { project_id, actor_id }) => {
    if (actor_id !== null) record(ctx, { project_id, author_id: actor_id, action: 'created' })
  }),
  on(MemberAdded, 'activity.joined', (ctx, event) => recordMembership(ctx, event, 'joined')),
  on(MemberRemoved, 'activity.left', (ctx, event) =>
    recordMembership(ctx, event, event.cause === 'expired' ? 'expired' : 'left'),
  ),
  on(NoteCreated, 'activity.note', recordNote),
  ...planning,
  ...wikiPages,
]
