import { app, clipboard, Menu, shell } from 'electron'
import { join } from 'node:path'

import type { MenuItemConstructorOptions } from 'electron'

import type { Command } from '../bridge.ts'
import { details, saveDiagnostics } from '../diagnostics.ts'
import { push, type Shell } from '../handlers.ts'
import { text, type TextKey } from '../texts.ts'

const isMac = process.platform === 'darwin'
const separator: MenuItemConstructorOptions = { type: 'separator' }
/** The page of the application's preferences. */
export const PREFERENCES = '/-/profile/application'

type Role = NonNullable<MenuItemConstructorOptions['role']>

/**
 * Returns a menu item with a built-in action of Electron. It has its own label, because those of Electron are
 * English.
 */
const roleItem = (role: Role, key: TextKey): MenuItemConstructorOptions => ({ role, label: text(key) })

/**
 * Returns a menu item for a command of the window. The page runs it, as it does for the keyboard shortcut. The
 * shortcut is shown but not registered, because the page would not receive it otherwise. A sequence such as `g p` is
 * part of the label.
 */
function commandItem(of: Shell, { keys, label }: Command): MenuItemConstructorOptions {
  const isChord = keys.startsWith('mod+')
  return {
    id: `command:${keys}`,
    label: isChord ? label : `${label}  (${keys})`,
    ...(isChord
      ? { accelerator: keys.replace('mod+', 'CommandOrControl+'), registerAccelerator: false }
      : {}),
    click: () => {
      of.open()
      push(of, 'shell.run_command', keys)
    },
  }
}

function pageItem(of: Shell, label: string, path: string): MenuItemConstructorOptions {
  return { label, click: () => of.goTo(path) }
}

function goMenu(of: Shell, commands: readonly Command[]): MenuItemConstructorOptions {
  const history = () => of.window()?.webContents.navigationHistory
  const back = isMac ? 'Cmd+[' : 'Alt+Left'
  const forward = isMac ? 'Cmd+]' : 'Alt+Right'
  return {
    id: 'go',
    label: text('menu.go'),
    submenu: [
      { label: text('menu.back'), accelerator: back, click: () => history()?.goBack() },
      { label: text('menu.forward'), accelerator: forward, click: () => history()?.goForward() },
      separator,
      ...commands.filter((command) => command.isView).map((command) => commandItem(of, command)),
    ],
  }
}

/** Returns the menu of the other commands of the current page, with a submenu for each group. */
function actionsMenu(of: Shell, commands: readonly Command[]): MenuItemConstructorOptions[] {
  const groups = Map.groupBy(
    commands.filter((command) => !command.isView),
    (command) => command.group,
  )
  if (groups.size === 0) return []
  const submenu = [...groups].map(([label, list]) => ({
    label,
    submenu: list.map((command) => commandItem(of, command)),
  }))
  return [{ label: text('menu.actions'), submenu }]
}

function preferencesItem(of: Shell): MenuItemConstructorOptions {
  const click = () => of.goTo(PREFERENCES)
  return { id: 'preferences', label: text('menu.preferences'), accelerator: 'CommandOrControl+,', click }
}

function recentMenu(of: Shell): MenuItemConstructorOptions[] {
  const submenu = of.recentProjects().map(({ name, path }) => pageItem(of, name, path))
  return submenu.length === 0 ? [] : [{ id: 'recent', label: text('menu.open_recent'), submenu }]
}

const quitItem = (): MenuItemConstructorOptions => ({
  id: 'quit',
  label: text('menu.quit'),
  accelerator: 'CommandOrControl+Q',
  click: () => app.quit(),
})

function appMenu(of: Shell): MenuItemConstructorOptions {
  return {
    label: 'Deskforge',
    submenu: [
      roleItem('about', 'menu.about'),
      separator,
      preferencesItem(of),
      separator,
      roleItem('services', 'menu.services'),
      separator,
      roleItem('hide', 'menu.hide'),
      roleItem('hideOthers', 'menu.hide_others'),
      roleItem('unhide', 'menu.show_all'),
      separator,
      quitItem(),
    ],
  }
}

function fileMenu(of: Shell): MenuItemConstructorOptions {
  return {
    label: text('menu.file'),
    submenu: [
      pageItem(of, text('menu.new_project'), '/projects/new'),
      ...recentMenu(of),
      separator,
      { label: text('menu.copy_address'), click: () => void clipboard.writeText(of.origin) },
      ...(isMac ? [] : [preferencesItem(of)]),
      separator,
      roleItem('close', 'menu.close'),
      ...(isMac ? [] : [quitItem()]),
    ],
  }
}

const editMenu = (): MenuItemConstructorOptions => ({
  label: text('menu.edit'),
  submenu: [
    roleItem('undo', 'menu.undo'),
    roleItem('redo', 'menu.redo'),
    separator,
    roleItem('cut', 'menu.cut'),
    roleItem('copy', 'menu.copy'),
    roleItem('paste', 'menu.paste'),
    roleItem('selectAll', 'menu.select_all'),
  ],
})

const viewMenu = (): MenuItemConstructorOptions => ({
  label: text('menu.view'),
  submenu: [
    roleItem('resetZoom', 'menu.reset_zoom'),
    roleItem('zoomIn', 'menu.zoom_in'),
    roleItem('zoomOut', 'menu.zoom_out'),
    roleItem('togglefullscreen', 'menu.full_screen'),
    separator,
    roleItem('reload', 'menu.reload'),
    roleItem('toggleDevTools', 'menu.developer_tools'),
  ],
})

/** Returns the window menu. macOS adds the open windows to the menu with this role. */
const windowMenu = (): MenuItemConstructorOptions => ({
  role: 'window',
  label: text('menu.window'),
  submenu: [
    roleItem('minimize', 'menu.minimize'),
    ...(isMac ? [roleItem('zoom', 'menu.zoom'), separator, roleItem('front', 'menu.front')] : []),
  ],
})

function helpMenu(of: Shell): MenuItemConstructorOptions {
  const showLogs = () => void shell.openPath(join(of.dataDir, 'logs'))
  const copyDetails = () => void clipboard.writeText(details(of.origin))
  return {
    role: 'help',
    label: text('menu.help'),
    submenu: [
      pageItem(of, text('menu.guide'), '/help/guide'),
      pageItem(of, text('menu.api'), '/-/docs'),
      separator,
      { id: 'show-logs', label: text('menu.show_logs'), click: showLogs },
      { id: 'copy-details', label: text('menu.copy_details'), click: copyDetails },
      {
        id: 'save-diagnostics',
        label: text('menu.save_diagnostics'),
        click: () => void saveDiagnostics(of),
      },
    ],
  }
}

/** Sets the menu of the application. On Windows and Linux a button and the Alt key show it (`menu-key.ts`). */
export function setMenu(of: Shell, commands: readonly Command[]): void {
  const menus: MenuItemConstructorOptions[] = [
    fileMenu(of),
    editMenu(),
    goMenu(of, commands),
    ...actionsMenu(of, commands),
    viewMenu(),
    windowMenu(),
    helpMenu(of),
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(isMac ? [appMenu(of), ...menus] : menus))
}
