import { app, clipboard, dialog, Notification, powerMonitor, type BrowserWindow, type Tray } from 'electron'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { defaultDataDir } from '../server/index.ts'
import type { Command, RecentProject } from './bridge.ts'
import { bundledParts } from './bundled.ts'
import { chosenDataDir, prepareDataDir } from './data-folder.ts'
import { offerLog, handleUncaughtErrors } from './failures.ts'
import { answerCalls, notify, push, type Shell } from './handlers.ts'
import { LaunchError, readLaunch, targetsIn, type Launch } from './launch.ts'
import { setJumpList } from './menus/jump-list.ts'
import { PREFERENCES, setMenu } from './menus/menu.ts'
import { openTray } from './menus/tray.ts'
import { preferenceActions } from './preference-actions.ts'
import { PreferencesFile } from './preferences.ts'
import { quitInOrder } from './quit.ts'
import { signIn, trustInstance } from './sign-in.ts'
import { startWithHelp } from './start.ts'
import { localeFor, setLocale, text } from './texts.ts'
import { updates } from './updates.ts'
import { pageOf, pageRequestFor, pageRequestIn, type PageRequest } from './page-request.ts'
import { openWindow } from './window.ts'

// The steps of the application: one process per data folder, start of the server, window on its origin, orderly quit.
// Each step has its own file in this folder.

let window: BrowserWindow | undefined
// A variable holds the tray icon, because the garbage collector would remove it otherwise.
let tray: Tray | undefined
/** True after the window of the instance was opened once. */
let hasOpened = false
/** The page or message to show when the window opens next. */
let requested: PageRequest = {}
/** Shows the window. Does nothing before the instance runs. */
let open = (): void => undefined

function fail(error: unknown): never {
  console.error(error instanceof LaunchError ? error.message : error)
  app.exit(1)
  throw error
}

function launchOf(): Launch {
  try {
    return readLaunch(process.argv.slice(1), process.env)
  } catch (error) {
    return fail(error)
  }
}

function show(shell: Shell, stateFile: string): void {
  const { page, problem, folder } = requested
  requested = {}
  if (folder) app.addRecentDocument(folder)
  if (problem) void dialog.showMessageBox({ type: 'info', message: problem })
  if (window) {
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
    if (page) push(shell, 'shell.go', page)
    return
  }
  hasOpened = true
  window = openWindow({ origin: shell.origin, page: page ?? '/', stateFile, dataDir })
  window.on('closed', () => {
    window = undefined
  })
}

/**
 * Keeps the instance running after the last window was closed, and shows a notification about it once. Without a tray
 * icon, or if the user prefers it, the application quits.
 */
function stayInTray(preferences: PreferencesFile): void {
  app.on('window-all-closed', () => {
    // The start page is also a window.
    if (!hasOpened) return
    const canStay = tray !== undefined || process.platform === 'darwin'
    if (preferences.values.quitOnClose || !canStay) {
      app.quit()
      return
    }
    if (preferences.values.hasSeenTrayNotice || !Notification.isSupported()) return
    preferences.set({ hasSeenTrayNotice: true })
    const title = text('notice.keeps_running')
    new Notification({ title, body: text('notice.keeps_running_body') }).show()
  })
}

/** Shows the new address of the instance, because other tools may still use the old one. */
async function showNewAddress(port: number, address: string): Promise<void> {
  const question = {
    message: text('notice.new_address'),
    detail: text('notice.new_address_detail', { port, address }),
    buttons: [text('crash.ok'), text('menu.copy_address')],
    cancelId: 0,
  }
  const { response } = await dialog.showMessageBox(question)
  if (response === 1) void clipboard.writeText(address)
}

async function run(launch: Launch, preferences: PreferencesFile): Promise<void> {
  await app.whenReady()
  if (process.env['DESKFORGE_LAUNCH_MARK']) writeFileSync(process.env['DESKFORGE_LAUNCH_MARK'], '')
  stayInTray(preferences)
  const started = await startWithHelp({
    options: { ...launch.server, ...bundledParts(), dataDir },
    preferences,
    defaultDir,
    isHidden: launch.isHidden,
    prepare,
    on: {
      restarted: (error) => void (error === undefined ? reloadAfterRestore() : showError(error)),
      ended: fail,
    },
  })
  if (!started) return app.exit(1)
  const { instance, takenPort } = started
  handleUncaughtErrors(instance)
  console.log(`Deskforge is ready at ${instance.url}`)
  // In development Vite serves the page and forwards all other requests to the server.
  const origin = (app.isPackaged ? undefined : process.env['DESKFORGE_DEV_URL']) ?? instance.url
  trustInstance(instance.url, instance.certificate)
  const state = { commands: [] as readonly Command[], recent: preferences.values.recentProjects ?? [] }
  const base = {
    origin,
    dataDir,
    window: () => window,
    signIn: () => signIn(origin, instance.ownerSession()),
    runningWork: () => instance.runningWork(),
    failedPipelines: () => instance.failedPipelines(),
    builtInRunner: instance.builtInRunner,
    clone: instance.clone,
    open: () => open(),
    goTo: (page: string) => request({ page }),
    recentProjects: () => state.recent,
  }
  const updater = updates({
    preferences,
    onStateChange: (update) => push(base, 'shell.update', update),
    onVersionFound: (version) => {
      const title = text('updates.available', { version })
      notify(shell, { title, body: text('updates.available_body'), path: PREFERENCES })
    },
    prepareRestart: () => shell.preferences.prepareRestart(),
  })
  const shell: Shell = {
    ...base,
    updates: updater,
    preferences: preferenceActions({
      shell: base,
      preferences,
      defaultDir,
      update: updater.state,
      updatesChanged: updater.scheduleChecks,
      close: () => instance.close(),
    }),
    commandsChanged: (commands, locale) => {
      state.commands = commands
      setLocale(locale)
      if (preferences.values.locale !== locale) preferences.set({ locale })
      setMenu(shell, commands)
    },
    recentProjectsChanged: (projects: readonly RecentProject[]) => {
      state.recent = projects
      preferences.set({ recentProjects: projects })
      setJumpList(shell, projects)
      setMenu(shell, state.commands)
    },
  }
  // After a restore the sessions are those of the backup, so the window signs in again and reloads.
  const reloadAfterRestore = () =>
    shell
      .signIn()
      .then(() => window?.loadURL(origin))
      .catch(() => undefined)
  const showError = (error: unknown) => {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const detail = text('crash.server_detail', { reason: reason.split('\n', 1)[0] ?? '' })
    return offerLog({ window, dataDir, address: origin, message: text('crash.server'), detail, reason })
  }
  open = () => show(shell, join(dataDir, 'window/state.json'))
  powerMonitor.on('resume', () => instance.wakeUp())
  quitInOrder(instance, () => (window ? [window] : []))
  answerCalls(shell)
  setMenu(shell, [])
  setJumpList(shell, state.recent)
  await shell.signIn()
  // The window is signed in from here on, so what opens it comes now, all at once.
  tray = openTray(shell)
  app.on('activate', open)
  updater.scheduleChecks()
  if (!launch.isHidden || !tray) open()
  started.closePage()
  if (takenPort !== undefined && takenPort !== 0) await showNewAddress(takenPort, origin)
}

/** Shows the window with the requested page. Before the window exists, the request is stored. */
function request(page: PageRequest): void {
  requested = page
  open()
}

/** Arguments of Electron itself, if it runs from the sources: the main file and its folder. */
const ownArguments = app.isPackaged ? [] : [join(import.meta.dirname, 'main.js'), app.getAppPath()]

setLocale(localeFor(app.getPreferredSystemLanguages()))
const launch = launchOf()
const defaultDir = defaultDataDir()
const chosen = launch.dataDir ? undefined : chosenDataDir(defaultDir)
const dataDir = launch.dataDir ?? chosen ?? defaultDir
const prepare = () => prepareDataDir(dataDir, chosen !== undefined)

/**
 * Returns the folder for the files of Chromium and its lock, in the data folder. If that cannot be used, it is a
 * temporary folder, and the start page shows the reason.
 */
function chromiumFolder(): string {
  try {
    prepare()
    return join(dataDir, 'window')
  } catch {
    return join(tmpdir(), `deskforge-${String(process.pid)}`)
  }
}

app.setName('Deskforge')
app.setAppUserModelId('org.deskforge.desktop')
app.setPath('userData', chromiumFolder())
if (app.isPackaged) app.setAsDefaultProtocolClient('deskforge')
requested = pageRequestIn(launch.targets, process.cwd(), ownArguments)
app.on('second-instance', (_event, args, cwd) =>
  request(pageRequestIn(targetsIn(args.slice(1)), cwd, ownArguments)),
)
app.on('open-url', (event, url) => {
  event.preventDefault()
  const page = pageOf(url)
  request(page ? { page } : {})
})
// macOS sends this event if a folder was dropped on the icon.
app.on('open-file', (event, path) => {
  event.preventDefault()
  request(pageRequestFor(path))
})
if (app.requestSingleInstanceLock()) {
  const preferences = new PreferencesFile(dataDir)
  if (preferences.values.locale) setLocale(preferences.values.locale)
  run(launch, preferences).catch(fail)
} else app.exit(0)
