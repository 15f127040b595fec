import { app, dialog } from 'electron'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { BrowserWindow, Tray } from 'electron'

import { defaultDataDir } from '../server/data-dir.ts'
import { StartupError } from '../server/index.ts'
import { bundledParts } from './bundled.ts'
import { pageAmong, pageOf } from './deep-links.ts'
import { answerCalls, push, type Shell } from './handlers.ts'
import { keepRunning } from './keep-running.ts'
import { LaunchError, readLaunch, type Launch } from './launch.ts'
import { openTray, setMenu } from './menu.ts'
import { quitInOrder } from './quit.ts'
import { signIn, trustInstance } from './sign-in.ts'
import { updates } from './updates.ts'
import { openWindow } from './window.ts'

// The order of a life: one instance per data directory → server → window on the server's own origin →
// orderly quit. What any of these means is in the files beside this one.

let window: BrowserWindow | undefined
// Held here, or the garbage collector takes the icon out of the tray.
let tray: Tray | undefined
let wantedPage: string | undefined
/** Brings the window up; nothing to bring up until the instance runs. */
let open = (): void => undefined

function fail(error: unknown): never {
  const isExpected = error instanceof StartupError || error instanceof LaunchError
  const sentence = isExpected ? error.message : 'Deskforge could not start because of an error in it.'
  console.error(isExpected ? sentence : error)
  if (app.isReady()) dialog.showErrorBox('Deskforge', sentence)
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

function show(shell: Shell, launch: Launch, stateFile: string): void {
  const page = wantedPage
  wantedPage = undefined
  if (window) {
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
    if (page) push(shell, 'shell.go', page)
    return
  }
  window = openWindow({ origin: shell.origin, page: page ?? '/', stateFile })
  window.on('closed', () => {
    window = undefined
    if (process.platform !== 'darwin' && !(launch.isHidden && tray)) app.quit()
  })
}

async function run(launch: Launch, dataDir: string): Promise<void> {
  await app.whenReady()
  if (process.env['DESKFORGE_LAUNCH_MARK']) writeFileSync(process.env['DESKFORGE_LAUNCH_MARK'], '')
  const options = { ...launch.server, ...bundledParts(), dataDir }
  const instance = await keepRunning(options, { restarted: () => void welcome(), ended: fail })
  quitInOrder(instance, () => window)
  console.log(`Deskforge is ready at ${instance.url}`)
  // In development the page comes from Vite, which passes everything else on to the server.
  const origin = (app.isPackaged ? undefined : process.env['DESKFORGE_DEV_URL']) ?? instance.url
  trustInstance(instance.url, instance.certificate)
  const check = updates(false).check
  const shell: Shell = {
    origin,
    dataDir,
    window: () => window,
    signIn: () => signIn(origin, instance.ownerSession()),
    checkForUpdate: check,
  }
  // The sessions are those of the backup; the page that is shown is of the instance before.
  const welcome = () =>
    shell
      .signIn()
      .then(() => window?.loadURL(origin))
      .catch(() => undefined)
  open = () => show(shell, launch, join(dataDir, 'window/state.json'))
  answerCalls(shell)
  setMenu(shell)
  tray = openTray(shell, open)
  await shell.signIn()
  if (!launch.isHidden || !tray) open()
  app.on('activate', open)
}

/** Somebody wants the window, and perhaps a page in it; that can happen before there is a window. */
function want(page: string | undefined): void {
  wantedPage = page
  open()
}

const launch = launchOf()
const dataDir = launch.dataDir ?? defaultDataDir()
wantedPage = launch.page
app.setName('Deskforge')
// Chromium's own files belong under the data directory too; the lock is per data directory with them.
app.setPath('userData', join(dataDir, 'window'))
if (app.isPackaged) app.setAsDefaultProtocolClient('deskforge')
app.on('second-instance', (_event, args) => want(pageAmong(args)))
app.on('open-url', (event, url) => {
  event.preventDefault()
  want(pageOf(url))
})
try {
  mkdirSync(join(dataDir, 'window'), { recursive: true })
} catch {
  fail(new LaunchError(`The data directory ${dataDir} cannot be written to.`))
}
if (app.requestSingleInstanceLock()) run(launch, dataDir).catch(fail)
else app.exit(0)
