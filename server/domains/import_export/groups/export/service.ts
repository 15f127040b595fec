import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { enqueue } from '../../../../jobs/job.ts'
import { cancelRun } from '../../../../jobs/runs.ts'
import { fail } from '../../../../lib/fail.ts'
import type { Group } from '../../../groups/index.ts'
import { GroupExportChanged } from '../../events.ts'
import { archiveAnswer } from '../../exports/files.ts'
import * as store from '../../exports/store.ts'
import { exportGroup } from './make.ts'

const ownerOf = ({ id }: Group) => ({ kind: 'group', id }) as const

/** Stores an export of a group with its subgroups, and its job; unless one is in progress. */
export function startExport(ctx: Ctx, group: Group): void {
  tx(ctx.db, () => {
    const last = store.newest(ctx.db, ownerOf(group))
    if (last && ['queued', 'started'].includes(last.state)) return
    const row = store.insertGroupExport(ctx.db, group.id, ctx.actor.id, ctx.now)
    enqueue(ctx, exportGroup, { export_id: row.id }, { key: `group_export:${group.id}` })
    publishChange(ctx, row)
  })
}

function publishChange(ctx: Ctx, { id, group_id, user_id, state }: store.GroupExport): void {
  publish(ctx, GroupExportChanged, { group_id, actor_id: user_id, export_id: id, state })
}

/** Cancels the export in progress. Throws 409 if none is. */
export function cancelExport(ctx: Ctx, group: Group): void {
  const last = store.newest(ctx.db, ownerOf(group))
  if (!last || !['queued', 'started'].includes(last.state))
    throw fail('conflict', 'No export of this group is under way.')
  tx(ctx.db, () => {
    const changes = { state: 'canceled', finished_at: ctx.now } as const
    const row = store.update<store.GroupExport>(ctx.db, last.id, changes, ctx.now)
    if (row) publishChange(ctx, row)
  })
  void cancelRun(ctx, `group_export:${last.id}`)
}

export function progressOf(ctx: Ctx, group: Group) {
  return {
    newest: store.newest(ctx.db, ownerOf(group)),
    ready: store.withFile(ctx.db, ownerOf(group), ctx.now),
  }
}

/** Returns the archive as an answer. Throws 404 if it does not exist or has expired (spec administration 6.8). */
export function archiveOf(ctx: Ctx, group: Group) {
  return archiveAnswer(ctx.config, 'groups', store.withFile(ctx.db, ownerOf(group), ctx.now))
}
