import { app, dialog, type BrowserWindow } from 'electron'

import type { RunningWork } from '../server/index.ts'
import { namesOfWork } from './running-work.ts'
import { text } from './texts.ts'

/** The steps at the end of the application. */
interface Closable {
  close(): Promise<void>
  /** The work that the end of the application would interrupt. */
  runningWork(): readonly RunningWork[]
}

const QUIT_WITHIN_MS = 5000
const ASK_AGAIN_MS = 1000
/** A page that does not answer within this time has crashed or hangs. A busy computer needs seconds to show its question. */
const PAGE_ANSWERS_WITHIN_MS = 10_000

const isDataDirArgument = (arg: string) => arg === '--data-dir' || arg.startsWith('--data-dir=')

/** Starts the application again once this process has ended. The program of an AppImage is gone by then, but not its file. */
export function startAgain(args: string[] = process.argv.slice(1)): void {
  const { APPIMAGE: execPath } = process.env
  app.relaunch({ args, ...(execPath ? { execPath } : {}) })
}

/** Restarts with the same arguments. Without `keepFolder`, the data folder is the chosen one instead of that of this start. */
export function restart({ keepFolder }: { keepFolder: boolean }): void {
  const args = process.argv.slice(1)
  const at = args.findIndex(isDataDirArgument)
  if (!keepFolder && at >= 0) args.splice(at, args[at] === '--data-dir' ? 2 : 1)
  // The new process gets the environment of this one.
  if (!keepFolder) delete process.env['DESKFORGE_DATA_DIR']
  startAgain(args)
  app.exit(0)
}

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
