import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { cancelable } from '../../../jobs/runs.ts'
import { fail } from '../../../lib/fail.ts'
import { BackupProblem, sentenceOf } from '../archive/format.ts'
import { runningOf, type Restoring, withRunningClock } from '../service-running.ts'
import { BackupChanged } from '../events.ts'
import { backup, fileOf, checkIdle } from '../service.ts'
import { runThread, ThreadFailure } from '../thread/run-thread.ts'
import { restoreTask, clearRestore, planRestore } from './swap.ts'

/** Time in which the window receives the news of the restart. */
const GOODBYE_MS = 300
const REPORT_MS = 500

/**
 * Checks a backup and unpacks it next to the present data; then the instance restarts and swaps the two. Returns at once;
 * the returned object shows progress and failure. Throws 404, and 409 while another backup or restore runs.
 */
export function askForRestore(given: Ctx, id: number, passphrase: string | undefined): Restoring {
  const ctx = withRunningClock(given)
  const row = backup(ctx, id)
  checkIdle(ctx)
  const { path } = fileOf(ctx, id)
  if (row.is_sealed && passphrase === undefined)
    throw fail('bad_request', 'The backup is sealed: it needs its passphrase.')
  const running = runningOf(ctx)
  const restoring: Restoring = {
    backup_id: id,
    state: 'running',
    step: 'unpacking',
    done: 0,
    total: 0,
    error: null,
  }
  running.restoring = restoring
  const what = { restoring, file: path, name: row.file!, passphrase }
  cancelable(ctx, { name: 'restore' }, (signal) => carryOut(ctx, what, signal)).catch((error: unknown) =>
    ctx.log.error({ err: error }, 'a backup could not be restored'),
  )
  return restoring
}

async function carryOut(
  ctx: Ctx,
  what: { restoring: Restoring; file: string; name: string; passphrase: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { restoring, file, name, passphrase } = what
  const { dataDir, storages } = ctx.config
  const folders = Object.values(storages)
  let reportedAt = performance.now()
  publishState(ctx, restoring)
  try {
    await clearRestore(dataDir, folders)
    const { head } = await runThread(restoreTask(dataDir, storages, { file, passphrase }), {
      signal,
      onProgress: (step, done, total) => {
        Object.assign(restoring, { step, done, total })
        if (performance.now() - reportedAt < REPORT_MS) return
        reportedAt = performance.now()
        publishState(ctx, restoring)
      },
    })
    planRestore(dataDir, { file: name, created_at: head.created_at, asked_at: ctx.now, storages: folders })
    restoring.state = 'restarting'
    publishState(ctx, restoring)
    ctx.log.info({ file: name }, 'a backup was unpacked; the instance restarts with it')
    setTimeout(() => ctx.config.restart.ask(), GOODBYE_MS)
  } catch (error) {
    await clearRestore(dataDir, folders)
    const inner = error instanceof ThreadFailure ? error.inner : undefined
    if (inner !== undefined || !(error instanceof BackupProblem))
      ctx.log.error({ err: error, inner }, 'a backup could not be restored')
    Object.assign(restoring, { state: 'failed', error: sentenceOf(error) })
    publishState(ctx, restoring)
  }
}

/** Publishes the state for the window. */
function publishState(ctx: Ctx, { backup_id, state }: Restoring): void {
  try {
    tx(ctx.db, () =>
      publish(ctx, BackupChanged, { backup_id, state: `restore_${state}`, actor_id: ctx.actor.id }),
    )
  } catch {
    // The instance is closing.
  }
}
