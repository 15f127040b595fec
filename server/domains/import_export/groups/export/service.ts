import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { enqueue } from '../../../../jobs/job.ts'
import { fail } from '../../../../lib/fail.ts'
import type { Group } from '../../../groups/index.ts'
import { GroupExportChanged } from '../events.ts'
import { keptFile } from '../files.ts'
import { takeBack } from '../running.ts'
import { exportGroup } from './job.ts'
import * as store from './store.ts'

/** Asks for an archive of a group with everything below it, in the background. One that is under way is the one. */
export function askForExport(ctx: Ctx, group: Group): void {
  tx(ctx.db, () => {
    const last = store.newest(ctx.db, group.id)
    if (last && ['queued', 'started'].includes(last.state)) return
    const row = store.insert(ctx.db, group.id, ctx.actor.id, ctx.now)
    enqueue(ctx, exportGroup, { export_id: row.id }, { key: `group_export:${group.id}` })
    tell(ctx, row)
  })
}

function tell(ctx: Ctx, { id, group_id, user_id, state }: store.GroupExport): void {
  publish(ctx, GroupExportChanged, { group_id, actor_id: user_id, export_id: id, state })
}

/** Takes an export back that is under way. Throws 409 where none is. */
export function cancelExport(ctx: Ctx, group: Group): void {
  const last = store.newest(ctx.db, group.id)
  if (!last || !['queued', 'started'].includes(last.state))
    throw fail('conflict', 'No export of this group is under way.')
  tx(ctx.db, () => {
    const row = store.update(ctx.db, last.id, { state: 'canceled', finished_at: ctx.now }, ctx.now)
    if (row) tell(ctx, row)
  })
  takeBack(ctx, `group_export:${last.id}`)
}

export function progressOf(ctx: Ctx, group: Group) {
  return { newest: store.newest(ctx.db, group.id), ready: store.withFile(ctx.db, group.id, ctx.now) }
}

const GONE = '404 Not found or has expired'

/** The archive as an answer. Throws 404 where there is none, or none any more (spec administration 6.8). */
export async function archiveOf(ctx: Ctx, group: Group) {
  const row = store.withFile(ctx.db, group.id, ctx.now)
  if (!row?.file) throw fail('not_found', GONE)
  const path = keptFile(ctx.config, 'groups', row.file)
  const found = await stat(path).catch(() => undefined)
  if (!found) throw fail('not_found', GONE)
  return {
    type: 'application/gzip',
    length: found.size,
    headers: {
      'Content-Disposition': `attachment; filename="${row.file_name ?? 'group_export.tar.gz'}"`,
      'Cache-Control': 'private, no-store',
    },
    body: createReadStream(path),
  }
}
