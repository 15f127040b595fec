import { Menu, type BrowserWindow } from 'electron'

/** The vertical position of the menu, below the title bar of the window. */
const TOP = 40
/** The horizontal position of the menu if the window does not send one. */
const LEFT = 8

/** Shows the menu of the application. On Windows and Linux a window with its own title bar has no menu bar. */
export function showMenu(window: BrowserWindow | undefined, left?: unknown): void {
  const x = typeof left === 'number' && left >= 0 && left < 10_000 ? Math.round(left) : LEFT
  if (window) Menu.getApplicationMenu()?.popup({ window, x, y: TOP })
}

/** Shows the menu after the Alt key alone and after F10, like a menu bar. On macOS the menu is always visible. */
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
