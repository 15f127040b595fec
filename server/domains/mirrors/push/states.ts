import type { Updateable } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { RemoteMirrorsTable } from '../../../db/schema.gen.ts'
import { publish } from '../../../events/publish.ts'
import type { Project } from '../../projects/index.ts'
import { RemoteMirrorChanged } from '../events.ts'
import { areMirrorsRunning } from '../policy.ts'
import { notifyMaintainers } from '../service-failures.ts'
import { maskedUrl } from '../validation.ts'
import type { ShownMirror } from './entity.ts'
import * as store from './store.ts'
import type { RemoteMirrorRow } from './store.ts'

/** Attempts before an update counts as failed (spec administration 5.2). */
const MAX_TRIES = 3

type Columns = Updateable<RemoteMirrorsTable>

/** Records the start of an update. */
export function begin(ctx: Ctx, mirror: RemoteMirrorRow): void {
  write(ctx, mirror, { update_status: 'started', last_update_started_at: ctx.now })
}

/** Records a successful update. */
export function finished(ctx: Ctx, mirror: RemoteMirrorRow): void {
  end(ctx, mirror, {
    update_status: 'finished',
    last_update_at: ctx.now,
    last_successful_update_at: ctx.now,
    last_error: null,
    tries: 0,
    error_told: false,
  })
}

/** Records a failed attempt and retries. The last attempt counts as failure. */
export function mayComeBack(
  ctx: Ctx,
  mirror: RemoteMirrorRow,
  reason: string,
  retry: (mirror: RemoteMirrorRow) => void,
): void {
  const tries = mirror.tries + 1
  if (tries >= MAX_TRIES) return failed(ctx, mirror, reason)
  tx(ctx.db, () => {
    if (end(ctx, mirror, { update_status: 'to_retry', last_error: reason, tries })) retry(mirror)
  })
}

/** Records a failed update. The next ref change or a request starts another. Maintainers are notified once. */
export function failed(ctx: Ctx, mirror: RemoteMirrorRow, reason: string): void {
  tx(ctx.db, () => {
    const columns = { update_status: 'failed', last_error: reason, last_update_at: ctx.now, tries: 0 }
    if (!end(ctx, mirror, { ...columns, error_told: true } as Columns)) return
    if (!mirror.error_told)
      notifyMaintainers(ctx, mirror.project_id, {
        url: maskedUrl(mirror.url, mirror.credentials !== null),
        reason,
      })
  })
}

/** Records the end of an update. False when the mirror was changed or deleted meanwhile. */
function end(ctx: Ctx, mirror: RemoteMirrorRow, columns: Columns): boolean {
  const current = store.byId(ctx.db, mirror.id)
  if (current?.update_status !== 'started') return false
  write(ctx, mirror, columns)
  return true
}

function write(ctx: Ctx, { id, project_id }: RemoteMirrorRow, columns: Columns): void {
  tx(ctx.db, () => {
    const after = store.update(ctx.db, id, columns)
    if (!after) return
    publish(ctx, RemoteMirrorChanged, {
      project_id,
      mirror_id: id,
      action: 'synced',
      update_status: after.update_status,
      actor_id: null,
    })
  })
}

/** Returns a mirror for its answer, with whether it is updated currently (spec administration 5.1, `enabled`). */
export function shown(ctx: Pick<Ctx, 'db' | 'now'>, project: Project, row: RemoteMirrorRow): ShownMirror {
  return { row, isEnabled: row.enabled && areMirrorsRunning(ctx, project, row) }
}
