import { app, dialog, type BrowserWindow } from 'electron'

/** The steps at the end of the application. */
interface Closable {
  close(): Promise<void>
  /** The running work, in words; the end of the application would interrupt it. */
  runningWork(): readonly string[]
}

const QUIT_WITHIN_MS = 5000
const ASK_AGAIN_MS = 1000
/** A page that does not answer within this time has crashed or hangs. A busy computer needs seconds to show its question. */
const PAGE_ANSWERS_WITHIN_MS = 10_000
const NAMED = 5

/** Closes a window. Returns false if its page has unsaved text and the user wants to stay. */
function closeWindow(window: BrowserWindow): Promise<boolean> {
  return new Promise((resolve) => {
    const late = setTimeout(() => window.destroy(), PAGE_ANSWERS_WITHIN_MS)
    window.webContents.once('will-prevent-unload', (event) => {
      clearTimeout(late)
      setImmediate(() => {
        if (!event.defaultPrevented) resolve(false)
      })
    })
    window.once('closed', () => {
      clearTimeout(late)
      resolve(true)
    })
    window.close()
  })
}

function askAbout(work: readonly string[]): 'wait' | 'stop' | 'cancel' {
  const rest = work.length > NAMED ? [`and ${String(work.length - NAMED)} more`] : []
  const answer = dialog.showMessageBoxSync({
    type: 'question',
    message: 'Work is still running. Quit Deskforge?',
    detail: [...work.slice(0, NAMED), ...rest].join('\n'),
    buttons: ['Quit When It Is Done', 'Stop It and Quit', 'Cancel'],
    defaultId: 0,
    cancelId: 2,
  })
  return (['wait', 'stop', 'cancel'] as const)[answer] ?? 'cancel'
}

/**
 * Makes quitting ask about running work and unsaved text, then close the windows and the server within five seconds.
 * SIGINT and SIGTERM do the same without questions.
 */
export function quitInOrder(instance: Closable, windows: () => readonly BrowserWindow[]): void {
  let state: 'running' | 'waiting' | 'ending' = 'running'

  const end = (): void => {
    state = 'ending'
    setTimeout(() => app.exit(0), QUIT_WITHIN_MS)
    instance.close().then(
      () => app.exit(0),
      () => app.exit(1),
    )
  }

  const closeAll = async (): Promise<void> => {
    state = 'ending'
    for (const window of windows()) {
      // One question after another, so that they never overlap.
      if (!(await closeWindow(window))) {
        state = 'running'
        return
      }
    }
    end()
  }

  const waitForWork = (): void => {
    state = 'waiting'
    const look = setInterval(() => {
      if (state !== 'waiting') clearInterval(look)
      else if (instance.runningWork().length === 0) {
        clearInterval(look)
        void closeAll()
      }
    }, ASK_AGAIN_MS)
  }

  app.on('before-quit', (event) => {
    event.preventDefault()
    if (state === 'ending') return
    const work = instance.runningWork()
    const answer = work.length === 0 ? 'stop' : askAbout(work)
    if (answer === 'stop') void closeAll()
    else if (answer === 'wait') waitForWork()
    else state = 'running'
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (state === 'ending') return
      // There is no user to ask. The window is closed and not destroyed, so that it saves its bounds.
      for (const window of windows()) window.close()
      end()
    })
  }
}
