import { app, dialog, type BrowserWindow } from 'electron'

import type { RunningWork } from '../server/index.ts'
import { namesOfWork } from './running-work.ts'
import { text } from './texts.ts'

/** The functions of the instance that quitting uses. */
interface Closable {
  close(): Promise<void>
  /** Returns the work that the end of the application would interrupt. */
  runningWork(): readonly RunningWork[]
}

const MAX_QUIT_MS = 5000
const CHECK_INTERVAL_MS = 1000
/**
 * A page that does not answer within this time has crashed or hangs. On a busy computer its question may need seconds
 * to appear.
 */
const PAGE_TIMEOUT_MS = 10_000

const isDataDirArgument = (arg: string) => arg === '--data-dir' || arg.startsWith('--data-dir=')

/**
 * Starts the application again after this process has ended. For an AppImage, this runs its file, because its
 * temporary mount does not exist any more.
 */
export function relaunch(args: string[] = process.argv.slice(1)): void {
  const { APPIMAGE: execPath } = process.env
  app.relaunch({ args, ...(execPath ? { execPath } : {}) })
}

/**
 * Restarts with the same arguments. Without `keepFolder`, the new process uses the chosen data folder instead of the
 * one in the arguments.
 */
export function restart({ keepFolder }: { keepFolder: boolean }): void {
  const args = process.argv.slice(1)
  const at = args.findIndex(isDataDirArgument)
  if (!keepFolder && at >= 0) args.splice(at, args[at] === '--data-dir' ? 2 : 1)
  // The new process inherits the environment of this one.
  if (!keepFolder) delete process.env['DESKFORGE_DATA_DIR']
  relaunch(args)
  app.exit(0)
}

/** Closes a window. Resolves with false if its page has unsaved text and the user chooses to stay. */
function closeWindow(window: BrowserWindow): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => window.destroy(), PAGE_TIMEOUT_MS)
    window.webContents.once('will-prevent-unload', (event) => {
      clearTimeout(timer)
      setImmediate(() => {
        if (!event.defaultPrevented) resolve(false)
      })
    })
    window.once('closed', () => {
      clearTimeout(timer)
      resolve(true)
    })
    window.close()
  })
}

function askAbout(work: readonly RunningWork[]): 'wait' | 'stop' | 'cancel' {
  const answer = dialog.showMessageBoxSync({
    type: 'question',
    message: text('quit.question'),
    detail: namesOfWork(work).join('\n'),
    buttons: [text('quit.when_done'), text('quit.stop'), text('quit.cancel')],
    defaultId: 0,
    cancelId: 2,
  })
  return (['wait', 'stop', 'cancel'] as const)[answer] ?? 'cancel'
}

/**
 * Makes quitting ask about running work and unsaved text, and then close the windows and the server within five
 * seconds. SIGINT and SIGTERM do this without questions.
 */
export function quitInOrder(instance: Closable, windows: () => readonly BrowserWindow[]): void {
  let state: 'running' | 'waiting' | 'ending' = 'running'

  const end = (): void => {
    state = 'ending'
    setTimeout(() => app.exit(0), MAX_QUIT_MS)
    instance.close().then(
      () => app.exit(0),
      () => app.exit(1),
    )
  }

  const closeAll = async (): Promise<void> => {
    state = 'ending'
    for (const window of windows()) {
      // The windows close one after another, so that their questions never overlap.
      if (!(await closeWindow(window))) {
        state = 'running'
        return
      }
    }
    end()
  }

  const waitForWork = (): void => {
    state = 'waiting'
    const timer = setInterval(() => {
      if (state !== 'waiting') clearInterval(timer)
      else if (instance.runningWork().length === 0) {
        clearInterval(timer)
        void closeAll()
      }
    }, CHECK_INTERVAL_MS)
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
      // No user can answer a question. The windows are closed rather than destroyed, so that they save their bounds.
      for (const window of windows()) window.close()
      end()
    })
  }
}
