import { app, clipboard, dialog, shell, type BrowserWindow } from 'electron'
import { join } from 'node:path'

import { details } from './diagnostics.ts'
import type { Running } from './keep-running.ts'
import { startAgain } from './quit.ts'
import { text } from './texts.ts'

interface Failure {
  readonly window: BrowserWindow | undefined
  readonly dataDir: string
  readonly address: string
  readonly message: string
  readonly detail: string
  /** What the details for a report say in addition to the versions. */
  readonly reason: string
}

/** Says what failed, and offers the log and the details for a report. */
export async function offerLog({ window, dataDir, address, reason, ...said }: Failure): Promise<void> {
  const buttons = [text('crash.ok'), text('crash.show_log'), text('menu.copy_details')]
  const question = { type: 'warning' as const, ...said, buttons, defaultId: 0, cancelId: 0 }
  const { response } = await (window
    ? dialog.showMessageBox(window, question)
    : dialog.showMessageBox(question))
  if (response === 1) await shell.openPath(join(dataDir, 'logs'))
  if (response === 2) await clipboard.writeText(`${details(address)}\n${reason}`)
}

const FAILURES_APART_MS = 60_000

/** Gives up after a second error: a restart of the application is what is left. */
function giveUp(): void {
  const buttons = [text('crash.restart'), text('start.quit')]
  const question = { type: 'error' as const, message: text('crash.server_again'), buttons, cancelId: 1 }
  if (dialog.showMessageBoxSync(question) === 0) startAgain()
  app.exit(1)
}

/**
 * An error that nothing caught restarts the instance, because its state is unknown; a second one within a minute ends
 * the application. Without this Electron shows a stack and goes on.
 */
export function surviveErrors(instance: Pick<Running, 'failed' | 'isOpen'>): void {
  let last = -Infinity
  const failed = (error: unknown): void => {
    console.error(error)
    // What breaks off while the instance closes is no error of its own.
    if (!instance.isOpen()) return
    const isAgain = performance.now() - last < FAILURES_APART_MS
    last = performance.now()
    if (isAgain) giveUp()
    else instance.failed(error)
  }
  process.on('uncaughtException', failed)
  process.on('unhandledRejection', failed)
  // A terminal that was closed takes no more output.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}
