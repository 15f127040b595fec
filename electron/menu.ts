import { clipboard, Menu, nativeImage, Tray } from 'electron'
import { join } from 'node:path'

import type { BrowserWindow, MenuItemConstructorOptions } from 'electron'

import { push, type Shell } from './handlers.ts'

const isMac = process.platform === 'darwin'

/** A place of the window. The keys after `g` work in the page; a menu can only show them in words. */
function place(of: Shell, label: string, path: string): MenuItemConstructorOptions {
  return {
    label,
    click: () => {
      of.window()?.show()
      push(of, 'shell.go', path)
    },
  }
}

type Modifier = 'meta' | 'control'

/**
 * A command that the page binds to a key itself: choosing it presses that key, so that menu and keyboard
 * cannot come to mean different things. Not registered, for else the page would never see the key.
 */
function pressed(
  window: () => BrowserWindow | undefined,
  label: string,
  key: string,
): MenuItemConstructorOptions {
  const withModifier = key.startsWith('mod+')
  const keyCode = withModifier ? key.slice(4) : key
  const modifiers: Modifier[] = withModifier ? [isMac ? 'meta' : 'control'] : []
  const send = (type: 'keyDown' | 'keyUp') =>
    window()?.webContents.sendInputEvent({ type, keyCode, modifiers })
  return {
    label,
    accelerator: key.replace('mod+', 'CommandOrControl+'),
    registerAccelerator: false,
    click: () => {
      send('keyDown')
      send('keyUp')
    },
  }
}

function goMenu(of: Shell): MenuItemConstructorOptions {
  const history = () => of.window()?.webContents.navigationHistory
  return {
    label: 'Go',
    submenu: [
      { label: 'Back', accelerator: isMac ? 'Cmd+[' : 'Alt+Left', click: () => history()?.goBack() },
      { label: 'Forward', accelerator: isMac ? 'Cmd+]' : 'Alt+Right', click: () => history()?.goForward() },
      { type: 'separator' },
      place(of, 'Home', '/'),
      place(of, 'Projects', '/dashboard/projects'),
      place(of, 'Groups', '/dashboard/groups'),
      place(of, 'Merge Requests', '/dashboard/merge_requests'),
      place(of, 'Settings', '/admin/application_settings'),
      { type: 'separator' },
      pressed(of.window, 'Command Palette…', 'mod+k'),
      pressed(of.window, 'Search Here', '/'),
    ],
  }
}

function fileMenu(of: Shell): MenuItemConstructorOptions {
  return {
    label: 'File',
    submenu: [
      place(of, 'New Project…', '/projects/new'),
      { type: 'separator' },
      { label: 'Copy Address', click: () => clipboard.writeText(of.origin) },
      { type: 'separator' },
      isMac ? { role: 'close' } : { role: 'quit' },
    ],
  }
}

function viewMenu(of: Shell): MenuItemConstructorOptions {
  return {
    label: 'View',
    submenu: [
      pressed(of.window, 'Sidebar', 'mod+\\'),
      { type: 'separator' },
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      { role: 'togglefullscreen' },
      { type: 'separator' },
      { role: 'reload' },
      { role: 'toggleDevTools' },
    ],
  }
}

/** Puts the application's menu in place; on Windows and Linux it appears with the Alt key. */
export function setMenu(of: Shell): void {
  const help: MenuItemConstructorOptions = {
    role: 'help',
    submenu: [pressed(of.window, 'Keyboard Shortcuts', '?'), place(of, 'API Documentation', '/-/docs')],
  }
  const menus = [
    fileMenu(of),
    { role: 'editMenu' as const },
    goMenu(of),
    viewMenu(of),
    { role: 'windowMenu' as const },
    help,
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(isMac ? [{ role: 'appMenu' }, ...menus] : menus))
}

/**
 * Puts the icon in the system's tray: the address, what the instance is doing, open and quit. Undefined
 * where the desktop has no tray.
 */
export function openTray(of: Shell, open: () => void): Tray | undefined {
  const file = isMac ? 'trayTemplate.png' : 'tray.png'
  try {
    const tray = new Tray(nativeImage.createFromPath(join(import.meta.dirname, 'icons', file)))
    tray.setToolTip(`Deskforge is running at ${of.origin}`)
    const items: MenuItemConstructorOptions[] = [
      { label: `Running at ${of.origin}`, enabled: false },
      { label: 'Copy Address', click: () => clipboard.writeText(of.origin) },
      { type: 'separator' },
      { label: 'Open Deskforge', click: open },
      { role: 'quit' },
    ]
    tray.setContextMenu(Menu.buildFromTemplate(items))
    tray.on('click', open)
    return tray
  } catch {
    return undefined
  }
}
