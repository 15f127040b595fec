import { app, type BrowserWindow } from 'electron'

/** What is left to do when the application ends. */
interface Closable {
  close(): Promise<void>
}

const QUIT_WITHIN = 5000

/**
 * From now on quitting closes the window and then the server, and takes five seconds at most, whatever is
 * still under way. The same for SIGINT and SIGTERM.
 */
export function quitInOrder(instance: Closable, window: () => BrowserWindow | undefined): void {
  let isEnding = false
  app.on('before-quit', (event) => {
    event.preventDefault()
    if (isEnding) return
    isEnding = true
    // Closed rather than destroyed: closing is when a window remembers where it was.
    window()?.close()
    setTimeout(() => app.exit(0), QUIT_WITHIN)
    instance.close().then(
      () => app.exit(0),
      () => app.exit(1),
    )
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.quit())
}
