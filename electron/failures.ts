import { app, clipboard, dialog, shell, type BrowserWindow } from 'electron'
import { join } from 'node:path'

import { details } from './diagnostics.ts'
import type { Running } from './keep-running.ts'
import { relaunch } from './quit.ts'
import { text } from './texts.ts'

interface Failure {
  readonly window: BrowserWindow | undefined
  readonly dataDir: string
  readonly address: string
  readonly message: string
  readonly detail: string
  /** The reason of the failure, for the details of a bug report. */
  readonly reason: string
}

/** Shows a failure, and offers to open the log or to copy the details for a bug report. */
export async function offerLog({ window, dataDir, address, reason, ...texts }: Failure): Promise<void> {
  const buttons = [text('crash.ok'), text('crash.show_log'), text('menu.copy_details')]
  const question = { type: 'warning' as const, ...texts, buttons, defaultId: 0, cancelId: 0 }
  const { response } = await (window
    ? dialog.showMessageBox(window, question)
    : dialog.showMessageBox(question))
  if (response === 1) await shell.openPath(join(dataDir, 'logs'))
  if (response === 2) await clipboard.writeText(`${details(address)}\n${reason}`)
}

/** A second error within this time ends the application. */
const REPEATED_ERROR_MS = 60_000

/** Ends or restarts the application, as the user chooses. */
function endAfterRepeatedError(): void {
  const buttons = [text('crash.restart'), text('start.quit')]
  const question = { type: 'error' as const, message: text('crash.server_again'), buttons, cancelId: 1 }
  if (dialog.showMessageBoxSync(question) === 0) relaunch()
  app.exit(1)
}

/**
 * Restarts the instance after an uncaught error, because its state is unknown. A second one within a minute ends the
 * application. By default Electron would show a stack trace and continue.
 */
export function handleUncaughtErrors(instance: Pick<Running, 'failed' | 'isOpen'>): void {
  let lastError = -Infinity
  const onError = (error: unknown): void => {
    console.error(error)
    // Errors while the instance closes are consequences of the closing.
    if (!instance.isOpen()) return
    const isAgain = performance.now() - lastError < REPEATED_ERROR_MS
    lastError = performance.now()
    if (isAgain) endAfterRepeatedError()
    else instance.failed(error)
  }
  process.on('uncaughtException', onError)
  process.on('unhandledRejection', onError)
  // Writing to a closed terminal fails; that is no error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}
