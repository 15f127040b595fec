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
  /** The origin of the instance, the only one that the window may show. */
  readonly origin: string
  /** The first page, as a path of the instance. */
  readonly page: string
  readonly stateFile: string
  readonly dataDir: string
}

/** After a second crash of the page within this time, the user is asked before it is reloaded. */
const REPEATED_CRASH_MS = 60_000

/** The height of the title bar in the design tokens of the page, in pixels. */
const TITLE_BAR_HEIGHT = 40

/**
 * Returns the background and text colors of the page: for the window before the page is drawn, and for the system's
 * buttons.
 */
function colors() {
  return nativeTheme.shouldUseDarkColors
    ? { color: '#1b1b1d', symbolColor: '#e8e9eb' }
    : { color: '#ffffff', symbolColor: '#1d1e22' }
}

function frameOptions(): BrowserWindowConstructorOptions {
  if (process.platform === 'darwin') {
    return { titleBarStyle: 'hiddenInset', trafficLightPosition: { x: 14, y: 13 } }
  }
  return { titleBarStyle: 'hidden', titleBarOverlay: { ...colors(), height: TITLE_BAR_HEIGHT - 1 } }
}

/** Refuses all permissions of pages except writing to the clipboard. */
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

/** Keeps the window on its origin. Links to other origins open in the system's browser. */
function guardNavigation(contents: WebContents, origin: string): void {
  const openInBrowser = (url: string) => {
    if (isWeb(url)) void shell.openExternal(url)
  }
  contents.on('will-navigate', (event) => {
    if (isOwn(event.url, origin)) return
    event.preventDefault()
    openInBrowser(event.url)
  })
  for (const name of ['will-redirect', 'will-frame-navigate'] as const) {
    contents.on(name as 'will-redirect', (event) => {
      if (!isOwn(event.url, origin)) event.preventDefault()
    })
  }
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.setWindowOpenHandler(({ url }) => {
    // A raw file, a log or an artifact opens in a new window without the bridge, so that the main window keeps its
    // page.
    if (isOwn(url, origin)) return { action: 'allow', overrideBrowserWindowOptions: plainWindow }
    openInBrowser(url)
    return { action: 'deny' }
  })
  contents.on('did-create-window', (child) => {
    guardNavigation(child.webContents, origin)
    addContextMenu(child.webContents)
    closeAfterDownload(child)
  })
}

/** Closes a window that was opened only for a download, because it would stay empty. */
function closeAfterDownload(child: BrowserWindow): void {
  const { session: own } = child.webContents
  const close = (_event: unknown, _item: unknown, contents: WebContents) => {
    if (contents === child.webContents && contents.getURL() === '') child.close()
  }
  own.on('will-download', close)
  child.on('closed', () => own.off('will-download', close))
}

/**
 * The preferences of all pages of the instance: no Node, a sandbox, and an isolated context for the preload script.
 */
const securePreferences = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  webviewTag: false,
  // macOS has its own dictionaries. On other systems Chromium would download them.
  spellcheck: process.platform === 'darwin',
}

const plainWindow: BrowserWindowConstructorOptions = {
  width: 960,
  height: 720,
  title: 'Deskforge',
  autoHideMenuBar: true,
  webPreferences: securePreferences,
}

/** Asks the user before a page with unsaved text closes. */
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

/** Reloads a crashed page and shows a message. After a second crash within a minute, asks the user first. */
function reloadAfterCrash(window: BrowserWindow, options: WindowOptions): void {
  let lastCrash = 0
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return
    console.error(`The page crashed: ${reason}.`)
    const isAgain = Date.now() - lastCrash < REPEATED_CRASH_MS
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

/** Shows a message if the preload script fails. The page then works as in a browser, without the shell. */
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

function saveStateOnClose(window: BrowserWindow, file: string): void {
  window.on('close', () => {
    writeState(file, { ...window.getNormalBounds(), maximized: window.isMaximized() })
  })
}

function followTheme(window: BrowserWindow): void {
  const update = () => {
    window.setBackgroundColor(colors().color)
    if (process.platform !== 'darwin')
      window.setTitleBarOverlay({ ...colors(), height: TITLE_BAR_HEIGHT - 1 })
  }
  nativeTheme.on('updated', update)
  window.on('closed', () => nativeTheme.off('updated', update))
}

/** Opens the window of the instance. The window becomes visible when the page is ready. */
export function openWindow(options: WindowOptions): BrowserWindow {
  const { origin, stateFile } = options
  const displays = screen.getAllDisplays().map((display) => display.workArea)
  const { maximized, ...bounds } = restoreState(readState(stateFile), displays)
  denyPermissions(origin)
  const window = new BrowserWindow({
    ...bounds,
    ...frameOptions(),
    minWidth: MIN_WIDTH,
    minHeight: MIN_HEIGHT,
    show: false,
    title: 'Deskforge',
    backgroundColor: colors().color,
    webPreferences: {
      preload: join(import.meta.dirname, 'preload.cjs'),
      ...securePreferences,
    },
  })
  guardNavigation(window.webContents, origin)
  addContextMenu(window.webContents)
  openMenuByKey(window)
  askBeforeLeaving(window)
  reloadAfterCrash(window, options)
  reportPreloadError(window)
  saveStateOnClose(window, stateFile)
  followTheme(window)
  window.once('ready-to-show', () => {
    if (maximized) window.maximize()
    window.show()
  })
  // Chromium shows its own error page.
  window.loadURL(new URL(options.page, origin).href).catch(() => undefined)
  return window
}
