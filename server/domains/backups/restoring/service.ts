import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { restartOf } from '../../../lib/restart.ts'
import { BackupProblem, sentenceOf } from '../archive/format.ts'
import { runningOf, type RunningBackups, type Restoring, withRunningClock } from '../service-running.ts'
import { BackupChanged } from '../events.ts'
import { backup, fileOf, checkIdle } from '../service.ts'
import { runThread, ThreadFailure } from '../thread/run-thread.ts'
import { restoreTask, clearRestore, planRestore } from './swap.ts'

/** The window is to hear that the instance restarts before it does. */
const GOODBYE_MS = 300
const TELL_MS = 500

/**
 * Checks a backup and puts it together beside what is there; then the instance asks to be started anew, which moves it into
 * place. Answers at once: how far it is, and why it failed, is on the desk. Throws 404, and 409 where something else is under way.
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
  running.restoreController = new AbortController()
  void carryOut(ctx, running, { restoring, file: path, name: row.file!, passphrase })
  return restoring
}

async function carryOut(
  ctx: Ctx,
  running: RunningBackups,
  what: { restoring: Restoring; file: string; name: string; passphrase: string | undefined },
): Promise<void> {
  const { restoring, file, name, passphrase } = what
  const { dataDir, storages } = ctx.config
  const folders = Object.values(storages)
  let told = performance.now()
  tell(ctx, restoring)
  try {
    await clearRestore(dataDir, folders)
    const { head } = await runThread(restoreTask(dataDir, storages, { file, passphrase }), {
      signal: running.restoreController!.signal,
      onProgress: (step, done, total) => {
        Object.assign(restoring, { step, done, total })
        if (performance.now() - told < TELL_MS) return
        told = performance.now()
        tell(ctx, restoring)
      },
    })
    planRestore(dataDir, { file: name, created_at: head.created_at, asked_at: ctx.now, storages: folders })
    restoring.state = 'restarting'
    tell(ctx, restoring)
    ctx.log.info({ file: name }, 'a backup was unpacked; the instance starts anew with it')
    setTimeout(() => restartOf(ctx.config).ask(), GOODBYE_MS)
  } catch (error) {
    await clearRestore(dataDir, folders)
    const inner = error instanceof ThreadFailure ? error.inner : undefined
    if (inner !== undefined || !(error instanceof BackupProblem))
      ctx.log.error({ err: error, inner }, 'a backup could not be restored')
    Object.assign(restoring, { state: 'failed', error: sentenceOf(error) })
    tell(ctx, restoring)
  }
}

/** Tells the window; nothing of it is stored. */
function tell(ctx: Ctx, { backup_id, state }: Restoring): void {
  try {
    tx(ctx.db, () =>
      publish(ctx, BackupChanged, { backup_id, state: `restore_${state}`, actor_id: ctx.actor.id }),
    )
  } catch {
    // The instance ends just now.
  }
}
