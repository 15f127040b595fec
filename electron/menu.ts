import { app, clipboard, Menu, shell } from 'electron'
import { join } from 'node:path'

import type { MenuItemConstructorOptions } from 'electron'

import type { Command } from './bridge.ts'
import { push, type Shell } from './handlers.ts'

const isMac = process.platform === 'darwin'
const separator: MenuItemConstructorOptions = { type: 'separator' }
/** The name of the window's command group with the views. */
const VIEWS = 'Go to'
/** The page of the application's preferences. */
const PREFERENCES = '/-/profile/application'

/**
 * A command of the window. The page runs it, so that menu and keyboard cannot differ. Its key is shown but not
 * registered, or the page would never receive it; a sequence such as `g p` follows the label.
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
  return {
    label: 'Go',
    submenu: [
      { label: 'Back', accelerator: isMac ? 'Cmd+[' : 'Alt+Left', click: () => history()?.goBack() },
      { label: 'Forward', accelerator: isMac ? 'Cmd+]' : 'Alt+Right', click: () => history()?.goForward() },
      separator,
      ...commands.filter((one) => one.group === VIEWS).map((one) => commandItem(of, one)),
    ],
  }
}

/** The other commands of the open page, with a submenu for each group. */
function actionsMenu(of: Shell, commands: readonly Command[]): MenuItemConstructorOptions[] {
  const groups = Map.groupBy(
    commands.filter((one) => one.group !== VIEWS),
    (one) => one.group,
  )
  if (groups.size === 0) return []
  const submenu = [...groups].map(([label, list]) => ({
    label,
    submenu: list.map((one) => commandItem(of, one)),
  }))
  return [{ label: 'Actions', submenu }]
}

function preferencesItem(of: Shell): MenuItemConstructorOptions {
  const click = () => of.goTo(PREFERENCES)
  return { id: 'preferences', label: 'Preferences…', accelerator: 'CommandOrControl+,', click }
}

function recentMenu(of: Shell): MenuItemConstructorOptions[] {
  const submenu = of.recentProjects().map(({ name, path }) => pageItem(of, name, path))
  return submenu.length === 0 ? [] : [{ id: 'recent', label: 'Open Recent', submenu }]
}

function fileMenu(of: Shell): MenuItemConstructorOptions {
  return {
    label: 'File',
    submenu: [
      pageItem(of, 'New Project…', '/projects/new'),
      ...recentMenu(of),
      separator,
      { label: 'Copy Address', click: () => void clipboard.writeText(of.origin) },
      preferencesItem(of),
      separator,
      { role: 'close' },
      ...(isMac ? [] : [{ id: 'quit', label: 'Quit', accelerator: 'Ctrl+Q', click: () => app.quit() }]),
    ],
  }
}

const viewMenu: MenuItemConstructorOptions = {
  label: 'View',
  submenu: [
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { role: 'togglefullscreen' },
    separator,
    { role: 'reload' },
    { role: 'toggleDevTools' },
  ],
}

/** The details for a bug report; no names, tokens or addresses of projects. */
function details(of: Shell): string {
  const { electron = '', chrome = '', node = '' } = process.versions
  return [
    `Deskforge ${app.getVersion()}`,
    `Electron ${electron}, Chromium ${chrome}, Node ${node}`,
    `${process.platform} ${process.arch} ${process.getSystemVersion?.() ?? ''}`,
    `Address ${of.origin}`,
  ].join('\n')
}

function helpMenu(of: Shell): MenuItemConstructorOptions {
  return {
    role: 'help',
    submenu: [
      pageItem(of, 'Guide', '/help/guide'),
      pageItem(of, 'API Documentation', '/-/docs'),
      separator,
      { id: 'show-logs', label: 'Show Logs', click: () => void shell.openPath(join(of.dataDir, 'logs')) },
      { id: 'copy-details', label: 'Copy Details', click: () => void clipboard.writeText(details(of)) },
    ],
  }
}

/** Sets the application's menu; on Windows and Linux it appears with the Alt key. */
export function setMenu(of: Shell, commands: readonly Command[]): void {
  const menus: MenuItemConstructorOptions[] = [
    fileMenu(of),
    { role: 'editMenu' },
    goMenu(of, commands),
    ...actionsMenu(of, commands),
    viewMenu,
    { role: 'windowMenu' },
    helpMenu(of),
  ]
  Menu.setApplicationMenu(Menu.buildFromTemplate(isMac ? [{ role: 'appMenu' }, ...menus] : menus))
}
