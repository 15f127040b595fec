import { app, dialog, Notification, powerMonitor, type BrowserWindow, type Tray } from 'electron'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { defaultDataDir } from '../server/index.ts'
import type { Command, RecentProject } from './bridge.ts'
import { bundledParts } from './bundled.ts'
import { chosenDataDir, prepareDataDir } from './data-folder.ts'
import { answerCalls, push, type Shell } from './handlers.ts'
import { setJumpList } from './jump-list.ts'
import { LaunchError, readLaunch, wantedBy, type Launch } from './launch.ts'
import { setMenu } from './menu.ts'
import { preferenceActions } from './preference-actions.ts'
import { PreferencesFile } from './preferences.ts'
import { quitInOrder } from './quit.ts'
import { signIn, trustInstance } from './sign-in.ts'
import { startWithHelp } from './start.ts'
import { openTray } from './tray.ts'
import { updates } from './updates.ts'
import { pageOf, wantedAmong, wantedFor, type Wanted } from './wanted-page.ts'
import { openWindow } from './window.ts'

// The order of events: one application per data folder → server → window on the server's origin → orderly quit. Each
// step has its own file in this folder.

let window: BrowserWindow | undefined
// Kept in a variable, because otherwise the garbage collector removes the icon from the tray.
let tray: Tray | undefined
/** True after the instance's window was open once. */
let hasOpened = false
let wanted: Wanted = {}
/** Shows the window; does nothing before the instance runs. */
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
  const { page, refusal } = wanted
  wanted = {}
  if (refusal) void dialog.showMessageBox({ type: 'info', message: refusal })
  if (window) {
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
    if (page) push(shell, 'shell.go', page)
    return
  }
  hasOpened = true
  window = openWindow({ origin: shell.origin, page: page ?? '/', stateFile })
  window.on('closed', () => {
    window = undefined
  })
}

/**
 * The instance keeps running without a window, and a notice says so once. Without a tray icon, or if the user chose
 * it, the application ends.
 */
function stayInTray(preferences: PreferencesFile): void {
  app.on('window-all-closed', () => {
    // The start page is a window too.
    if (!hasOpened) return
    const canStay = tray !== undefined || process.platform === 'darwin'
    if (preferences.values.quitOnClose || !canStay) {
      app.quit()
      return
    }
    if (preferences.values.hasSeenTrayNotice || !Notification.isSupported()) return
    preferences.set({ hasSeenTrayNotice: true })
    const body = 'Pushes and pipelines go on. Open the window again from the icon, or quit there.'
    new Notification({ title: 'Deskforge keeps running', body }).show()
  })
}

async function run(launch: Launch, preferences: PreferencesFile): Promise<void> {
  await app.whenReady()
  if (process.env['DESKFORGE_LAUNCH_MARK']) writeFileSync(process.env['DESKFORGE_LAUNCH_MARK'], '')
  stayInTray(preferences)
  const started = await startWithHelp({
    options: { ...launch.server, ...bundledParts(), dataDir },
    preferences,
    defaultDir,
    prepare,
    on: { restarted: () => void welcome(), ended: fail },
  })
  if (!started) return app.exit(1)
  const { instance } = started
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
    builtInRunner: instance.builtInRunner,
    clone: instance.clone,
    open: () => open(),
    goTo: (page: string) => want({ page }),
    recentProjects: () => state.recent,
  }
  const updater = updates({
    preferences,
    changed: (update) => push(base, 'shell.update', update),
    prepareRestart: () => shell.preferences.prepareRestart(),
  })
  const shell: Shell = {
    ...base,
    updates: updater,
    preferences: preferenceActions({
      shell: base,
      preferences,
      defaultDir,
      updatesChanged: updater.follow,
      close: () => instance.close(),
    }),
    commandsChanged: (commands) => {
      state.commands = commands
      setMenu(shell, commands)
    },
    recentProjectsChanged: (projects: readonly RecentProject[]) => {
      state.recent = projects
      preferences.set({ recentProjects: projects })
      setJumpList(shell, projects)
      setMenu(shell, state.commands)
    },
  }
  // The sessions are those of the backup, but the open page belongs to the instance before the restore.
  const welcome = () =>
    shell
      .signIn()
      .then(() => window?.loadURL(origin))
      .catch(() => undefined)
  open = () => show(shell, join(dataDir, 'window/state.json'))
  powerMonitor.on('resume', () => instance.wakeUp())
  quitInOrder(instance, () => (window ? [window] : []))
  answerCalls(shell)
  setMenu(shell, [])
  setJumpList(shell, state.recent)
  tray = openTray(shell)
  updater.follow()
  await shell.signIn()
  if (!launch.isHidden || !tray) open()
  started.closePage()
  app.on('activate', open)
}

/** Shows the window, on request with a page in it; the request may come before the window exists. */
function want(what: Wanted): void {
  wanted = what
  open()
}

/** Electron's own arguments, when it runs from the sources: the main file or the folder with it. */
const own = app.isPackaged ? [] : [join(import.meta.dirname, 'main.js'), app.getAppPath()]

const launch = launchOf()
const defaultDir = defaultDataDir()
const chosen = launch.dataDir ? undefined : chosenDataDir(defaultDir)
const dataDir = launch.dataDir ?? chosen ?? defaultDir
const prepare = () => prepareDataDir(dataDir, chosen !== undefined)

/** Chromium's files and its lock are in the data folder. If that folder cannot be used, a page shows why. */
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
wanted = wantedAmong(launch.wanted, process.cwd(), own)
app.on('second-instance', (_event, args, cwd) => want(wantedAmong(wantedBy(args.slice(1)), cwd, own)))
app.on('open-url', (event, url) => {
  event.preventDefault()
  const page = pageOf(url)
  want(page ? { page } : {})
})
// macOS: a folder was dropped on the icon.
app.on('open-file', (event, path) => {
  event.preventDefault()
  want(wantedFor(path))
})
if (app.requestSingleInstanceLock()) run(launch, new PreferencesFile(dataDir)).catch(fail)
else app.exit(0)
