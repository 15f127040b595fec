import { BrowserWindow, dialog, nativeTheme, screen, session, shell } from 'electron'
import { join } from 'node:path'

import type { BrowserWindowConstructorOptions, WebContents } from 'electron'

import { addContextMenu } from './menus/context-menu.ts'
import { openMenuByKey } from './menus/menu-key.ts'
import { isOwn, isWeb } from './origin.ts'
import { offerLog } from './failures.ts'
import { text } from './texts.ts'
import { MIN_HEIGHT, MIN_WIDTH, readState, restoreState, writeState } from './window-state.ts'

export interface WindowOptions {
  /** The instance's address, scheme to port: the only origin this window may show. */
  readonly origin: string
  /** The first page, as a path of the instance. */
  readonly page: string
  readonly stateFile: string
  readonly dataDir: string
}

const CRASHES_APART_MS = 60_000

/** The height that the window's own title bar has in the page's tokens. */
const TITLE_BAR = 40

/** The page's background and text colours, before it is drawn and for the system's buttons. */
function colors() {
  return nativeTheme.shouldUseDarkColors
    ? { color: '#1b1b1d', symbolColor: '#e8e9eb' }
    : { color: '#ffffff', symbolColor: '#1d1e22' }
}

function frame(): BrowserWindowConstructorOptions {
  if (process.platform === 'darwin') {
    return { titleBarStyle: 'hiddenInset', trafficLightPosition: { x: 14, y: 13 } }
  }
  return { titleBarStyle: 'hidden', titleBarOverlay: { ...colors(), height: TITLE_BAR - 1 } }
}

/** A page may write to the clipboard; every other permission is refused. */
function denyPermissions(origin: string): void {
  const isAllowed = (permission: string, url: string | undefined) =>
    permission === 'clipboard-sanitized-write' && isOwn(url, origin)
  const own = session.defaultSession
  own.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(isAllowed(permission, details.requestingUrl))
  })
  own.setPermissionCheckHandler((_contents, permission, requesting) => isAllowed(permission, requesting))
  own.setDevicePermissionHandler(() => false)
}

/** Keeps the window on its own origin; links to elsewhere open in the system's browser. */
function guardNavigation(contents: WebContents, origin: string): void {
  const leave = (url: string) => {
    if (isWeb(url)) void shell.openExternal(url)
  }
  contents.on('will-navigate', (event) => {
    if (isOwn(event.url, origin)) return
    event.preventDefault()
    leave(event.url)
  })
  for (const name of ['will-redirect', 'will-frame-navigate'] as const) {
    contents.on(name as 'will-redirect', (event) => {
      if (!isOwn(event.url, origin)) event.preventDefault()
    })
  }
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    // A raw file, a log or an artifact opens in a plain window without the bridge; the main window keeps its page.
    if (isOwn(url, origin)) return { action: 'allow', overrideBrowserWindowOptions: plainWindow }
    leave(url)
    return { action: 'deny' }
  })
  contents.on('did-create-window', (child) => {
    guardNavigation(child.webContents, origin)
    addContextMenu(child.webContents)
    closeAfterDownload(child)
  })
}

/** A window that was opened for a download shows nothing, so it closes. */
function closeAfterDownload(child: BrowserWindow): void {
  const { session: own } = child.webContents
  const close = (_event: unknown, _item: unknown, contents: WebContents) => {
    if (contents === child.webContents && contents.getURL() === '') child.close()
  }
  own.on('will-download', close)
  child.on('closed', () => own.off('will-download', close))
}

/** Settings of every page of the instance: no Node, a sandbox, and an isolated world for the preload script. */
const safe = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  webviewTag: false,
  // macOS has its own dictionaries; on other systems Chromium would download some.
  spellcheck: process.platform === 'darwin',
}

const plainWindow: BrowserWindowConstructorOptions = {
  width: 960,
  height: 720,
  title: 'Deskforge',
  autoHideMenuBar: true,
  webPreferences: safe,
}

/** Asks before a page with unsaved text closes. */
function askBeforeLeaving(window: BrowserWindow): void {
  window.webContents.on('will-prevent-unload', (event) => {
    const answer = dialog.showMessageBoxSync(window, {
      type: 'warning',
      message: text('leave.question'),
      detail: text('leave.detail'),
      buttons: [text('leave.stay'), text('leave.leave')],
      defaultId: 0,
      cancelId: 0,
    })
    if (answer === 1) event.preventDefault()
  })
}

/** Reloads a crashed page and says so; if it crashes again soon, asks first. */
function reloadAfterCrash(window: BrowserWindow, options: WindowOptions): void {
  let lastCrash = 0
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return
    console.error(`The page crashed: ${reason}.`)
    const isAgain = Date.now() - lastCrash < CRASHES_APART_MS
    lastCrash = Date.now()
    const question = {
      type: 'error' as const,
      message: text('crash.page_again'),
      buttons: [text('crash.reload'), text('crash.close')],
    }
    if (isAgain && dialog.showMessageBoxSync(window, question) === 1) {
      window.destroy()
      return
    }
    window.webContents.reload()
    if (isAgain) return
    void offerLog({
      window,
      dataDir: options.dataDir,
      address: options.origin,
      message: text('crash.page'),
      detail: text('crash.page_detail'),
      reason,
    })
  })
}

/** Without the preload script the page works as in a browser, but the shell does nothing for it. */
function reportPreloadError(window: BrowserWindow): void {
  window.webContents.once('preload-error', (_event, _path, error) => {
    console.error(error)
    void dialog.showMessageBox(window, {
      type: 'error',
      message: text('crash.preload'),
      detail: text('crash.preload_detail'),
    })
  })
}

function rememberState(window: BrowserWindow, file: string): void {
  window.on('close', () => {
    writeState(file, { ...window.getNormalBounds(), maximized: window.isMaximized() })
  })
}

function followTheme(window: BrowserWindow): void {
  const update = () => {
    window.setBackgroundColor(colors().color)
    if (process.platform !== 'darwin') window.setTitleBarOverlay({ ...colors(), height: TITLE_BAR - 1 })
  }
  nativeTheme.on('updated', update)
  window.on('closed', () => nativeTheme.off('updated', update))
}

/** Opens the window of the instance. It becomes visible when the page is ready. */
export function openWindow(options: WindowOptions): BrowserWindow {
  const { origin, stateFile } = options
  const displays = screen.getAllDisplays().map((display) => display.workArea)
  const { maximized, ...bounds } = restoreState(readState(stateFile), displays)
  denyPermissions(origin)
  const window = new BrowserWindow({
    ...bounds,
    ...frame(),
    minWidth: MIN_WIDTH,
    minHeight: MIN_HEIGHT,
    show: false,
    title: 'Deskforge',
    backgroundColor: colors().color,
    webPreferences: {
      preload: join(import.meta.dirname, 'preload.cjs'),
      ...safe,
    },
  })
  guardNavigation(window.webContents, origin)
  addContextMenu(window.webContents)
  openMenuByKey(window)
  askBeforeLeaving(window)
  reloadAfterCrash(window, options)
  reportPreloadError(window)
  rememberState(window, stateFile)
  followTheme(window)
  window.once('ready-to-show', () => {
    if (maximized) window.maximize()
    window.show()
  })
  // Chromium shows an error page itself.
  window.loadURL(new URL(options.page, origin).href).catch(() => undefined)
  return window
}
