import { BrowserWindow, nativeTheme, screen, session, shell } from 'electron'
import { join } from 'node:path'

import type { BrowserWindowConstructorOptions, WebContents } from 'electron'

import { isOwn, isWeb } from './origin.ts'
import { MIN_HEIGHT, MIN_WIDTH, readState, restoreState, writeState } from './window-state.ts'

export interface WindowOptions {
  /** The instance's address, scheme to port: the only origin this window may show. */
  readonly origin: string
  /** The first page, as a path of the instance. */
  readonly page: string
  readonly stateFile: string
}

/** The height that the window's own title bar has in the page's tokens. */
const TITLE_BAR = 40

/** The page's surface and text colours, for the moment before it is drawn and for the system's buttons. */
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

/** A page may copy to the clipboard when a person asks; every other permission is refused. */
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
    if (isOwn(url, origin)) void contents.loadURL(url)
    else leave(url)
    return { action: 'deny' }
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

/** Opens the application's window on the instance. It shows itself once the page has something to show. */
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
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: true,
    },
  })
  guardNavigation(window.webContents, origin)
  rememberState(window, stateFile)
  followTheme(window)
  window.once('ready-to-show', () => {
    if (maximized) window.maximize()
    window.show()
  })
  // A page that fails to load says so itself; a rejection here would only repeat it without a listener.
  window.loadURL(new URL(options.page, origin).href).catch(() => undefined)
  return window
}
