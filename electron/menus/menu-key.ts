import { Menu, type BrowserWindow } from 'electron'

/** Below the window's own title bar. */
const TOP = 40
const LEFT = 8

/** Shows the application's menu. On Windows and Linux a window that draws its own title bar has no menu bar. */
export function showMenu(window: BrowserWindow | undefined, left?: unknown): void {
  const x = typeof left === 'number' && left >= 0 && left < 10_000 ? Math.round(left) : LEFT
  if (window) Menu.getApplicationMenu()?.popup({ window, x, y: TOP })
}

/** Shows the menu after the Alt key alone and after F10, as a menu bar does. macOS has its menu at the top of the screen. */
export function openMenuByKey(window: BrowserWindow): void {
  if (process.platform === 'darwin') return
  let isAltAlone = false
  window.webContents.on('before-input-event', (event, { type, key }) => {
    if (type === 'keyDown') isAltAlone = key === 'Alt'
    const isMenuKey =
      (type === 'keyDown' && key === 'F10') || (type === 'keyUp' && key === 'Alt' && isAltAlone)
    if (!isMenuKey) return
    isAltAlone = false
    event.preventDefault()
    showMenu(window)
  })
}
