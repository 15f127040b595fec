import { app, dialog, ipcMain, nativeTheme, Notification, shell, systemPreferences } from 'electron'
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'

import type { BrowserWindow, IpcMainInvokeEvent } from 'electron'

import { accentOf } from './accent.ts'
import type { Accent, CallName, Calls, PushName, Pushes, ShellInfo, UpdateState } from './bridge.ts'
import { isOwn, isPath, isWeb } from './origin.ts'

/** What the handlers need of the rest of the shell. */
export interface Shell {
  readonly origin: string
  readonly dataDir: string
  window(): BrowserWindow | undefined
  signIn(): Promise<boolean>
  checkForUpdate(): Promise<UpdateState>
}

type Handlers = {
  [Name in CallName]: (...args: unknown[]) => Calls[Name]['answer'] | Promise<Calls[Name]['answer']>
}

/** Sends the window something it did not ask for; nothing happens while there is no window. */
export function push<Name extends PushName>(shell: Shell, name: Name, value: Pushes[Name]): void {
  shell.window()?.webContents.send(name, value)
}

function info(shell: Shell): ShellInfo {
  const { electron = '', chrome = '' } = process.versions
  const { origin: address, dataDir } = shell
  return { version: app.getVersion(), electron, chrome, platform: process.platform, address, dataDir }
}

/** Null where the system has no accent colour to tell. */
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

function notify(shell: Shell, notice: unknown): void {
  if (typeof notice !== 'object' || notice === null || !Notification.isSupported()) return
  const { title, body, path } = notice as Record<string, unknown>
  const shown = new Notification({ title: String(title).slice(0, 200), body: String(body).slice(0, 1000) })
  shown.on('click', () => {
    shell.window()?.show()
    if (isPath(path)) push(shell, 'shell.go', path)
  })
  shown.show()
}

function openAtLogin(wanted: unknown): boolean {
  if (typeof wanted === 'boolean') app.setLoginItemSettings({ openAtLogin: wanted, args: ['--hidden'] })
  return app.getLoginItemSettings({ args: ['--hidden'] }).openAtLogin
}

function handlers(of: Shell): Handlers {
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
      if (isWeb(url)) await shell.openExternal(url)
      return isWeb(url)
    },
    'shell.set_badge': (count) => {
      app.setBadgeCount(Number.isInteger(count) ? Math.min(Math.max(Number(count), 0), 9999) : 0)
    },
    'shell.notify': (notice) => notify(of, notice),
    'shell.sign_in': () => of.signIn(),
    'shell.open_at_login': (wanted) => openAtLogin(wanted),
    'shell.check_for_update': () => of.checkForUpdate(),
  }
}

/** Answers the window's calls. A frame of any other origin is refused, whatever it says. */
export function answerCalls(of: Shell): void {
  for (const [name, handler] of Object.entries(handlers(of))) {
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
