import {
  app,
  dialog,
  ipcMain,
  nativeImage,
  nativeTheme,
  Notification,
  shell,
  systemPreferences,
} from 'electron'
import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

import type { BrowserWindow, IpcMainInvokeEvent } from 'electron'

import type { FailedPipeline, Instance, RunningWork } from '../server/index.ts'
import { accentOf } from './accent.ts'
import type {
  Accent,
  CallName,
  Calls,
  Command,
  PushName,
  Pushes,
  RecentProject,
  ShellInfo,
} from './bridge.ts'
import { clone } from './clone.ts'
import { showMenu } from './menus/menu-key.ts'
import { isEditorLink, isOwn, isPath, isWeb } from './origin.ts'
import type { PreferenceActions } from './preference-actions.ts'
import { recentProjectsOf } from './preferences.ts'
import { currentLocale, isLocale, text, type Locale } from './texts.ts'
import type { Updates } from './updates.ts'

/** The parts of the shell that the handlers use. */
export interface Shell {
  readonly origin: string
  readonly dataDir: string
  window(): BrowserWindow | undefined
  signIn(): Promise<boolean>
  /** Shows the window and opens a page in it. */
  goTo(path: string): void
  readonly updates: Updates
  readonly preferences: PreferenceActions
  runningWork(): readonly RunningWork[]
  failedPipelines(): readonly FailedPipeline[]
  readonly builtInRunner: Instance['builtInRunner']
  readonly clone: Instance['clone']
  /** Shows the window. */
  open(): void
  commandsChanged(commands: readonly Command[], locale: Locale): void
  /** Returns the recently opened projects. */
  recentProjects(): readonly RecentProject[]
  recentProjectsChanged(projects: readonly RecentProject[]): void
}

type Handlers = {
  [Name in CallName]: (...args: unknown[]) => Calls[Name]['answer'] | Promise<Calls[Name]['answer']>
}

/** Sends a message to the window, if there is one. */
export function push<Name extends PushName>(
  shell: Pick<Shell, 'window'>,
  name: Name,
  value: Pushes[Name],
): void {
  shell.window()?.webContents.send(name, value)
}

function info(shell: Shell): ShellInfo {
  const { electron = '', chrome = '' } = process.versions
  const { origin: address, dataDir } = shell
  return { version: app.getVersion(), electron, chrome, platform: process.platform, address, dataDir }
}

/** Returns the accent color of the system; null if it has none. */
function accent(): Accent | null {
  try {
    return accentOf(systemPreferences.getAccentColor())
  } catch {
    return null
  }
}

async function chooseFolder(shell: Shell, title: unknown): Promise<string | null> {
  const window = shell.window()
  if (!window) return null
  const options = { title: String(title).slice(0, 200), properties: ['openDirectory' as const] }
  const { canceled, filePaths } = await dialog.showOpenDialog(window, options)
  return canceled ? null : (filePaths[0] ?? null)
}

/** Shows a system notification, unless the user disabled notifications. A click opens its page. */
export function notify(shell: Pick<Shell, 'preferences' | 'goTo' | 'open'>, notice: unknown): void {
  if (typeof notice !== 'object' || notice === null || !Notification.isSupported()) return
  if (!shell.preferences.values().notifications) return
  const { title, body, path } = notice as Record<string, unknown>
  const notification = new Notification({
    title: String(title).slice(0, 200),
    body: String(body).slice(0, 1000),
  })
  notification.on('click', () => {
    if (isPath(path)) shell.goTo(path)
    else shell.open()
  })
  notification.show()
}

const MAX_BADGE = 9999

/** Shows the number of pending to-do items on the icon of the application. */
function setBadge(shell: Shell, value: unknown): void {
  const count = Number.isInteger(value) ? Math.min(Math.max(Number(value), 0), MAX_BADGE) : 0
  app.setBadgeCount(count)
  // Windows cannot show a number on an icon. It shows a dot over the icon in the taskbar, and screen readers read the
  // text.
  if (process.platform !== 'win32') return
  const dot = nativeImage.createFromPath(join(import.meta.dirname, 'icons/badge.png'))
  if (count === 0) shell.window()?.setOverlayIcon(null, '')
  else shell.window()?.setOverlayIcon(dot, text('badge.todos', { count }))
}

const MAX_COMMANDS = 200

/** Returns the valid commands in an argument of the page. */
function validCommands(value: unknown): Command[] {
  if (!Array.isArray(value)) return []
  const shortText = (item: unknown) => (typeof item === 'string' ? item.slice(0, 80) : '')
  return value
    .slice(0, MAX_COMMANDS)
    .filter((item) => typeof item === 'object' && item !== null)
    .map(({ keys, label, group, isView }) => ({
      keys: shortText(keys),
      label: shortText(label),
      group: shortText(group),
      isView: isView === true,
    }))
    .filter((command) => command.keys !== '' && command.label !== '' && command.group !== '')
}

function handlersOf(of: Shell): Handlers {
  return {
    'shell.info': () => info(of),
    'shell.accent': () => accent(),
    'shell.set_theme': (theme) => {
      if (theme === 'system' || theme === 'light' || theme === 'dark') nativeTheme.themeSource = theme
    },
    'shell.choose_folder': (title) => chooseFolder(of, title),
    'shell.reveal': (path) => {
      if (typeof path !== 'string' || !isAbsolute(path) || !existsSync(path)) return false
      shell.showItemInFolder(path)
      return true
    },
    'shell.open_external': async (url) => {
      const isAllowed = isWeb(url) || isEditorLink(url)
      if (isAllowed) await shell.openExternal(url)
      return isAllowed
    },
    'shell.clone': (parent, request) => clone(of, parent, request),
    'shell.set_badge': (count) => setBadge(of, count),
    'shell.notify': (notice) => notify(of, notice),
    'shell.sign_in': () => of.signIn(),
    'shell.preferences': (changes) =>
      changes === null ? of.preferences.values() : of.preferences.change(changes),
    'shell.run_preference_action': (action) => of.preferences.run(action),
    'shell.set_commands': (commands, locale) =>
      of.commandsChanged(validCommands(commands), isLocale(locale) ? locale : currentLocale()),
    'shell.set_recent_projects': (projects) => of.recentProjectsChanged(recentProjectsOf(projects)),
    'shell.run_update': (step) => (step === 'install' ? of.updates.install() : of.updates.check()),
    'shell.show_menu': (left) => showMenu(of.window(), left),
  }
}

/** Answers the calls of the window. Calls from frames of other origins are refused. */
export function answerCalls(of: Shell): void {
  for (const [name, handler] of Object.entries(handlersOf(of))) {
    ipcMain.handle(name, (event: IpcMainInvokeEvent, ...args: unknown[]) => {
      const frame = event.senderFrame
      if (!frame || frame.parent || !isOwn(frame.url, of.origin))
        throw new Error('This page may not call the shell.')
      return handler(...args)
    })
  }
  if (process.platform !== 'darwin') {
    systemPreferences.on('accent-color-changed', (_event, color) =>
      push(of, 'shell.accent_changed', accentOf(color)),
    )
  }
}
