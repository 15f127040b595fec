import { app } from 'electron'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** The arguments of a start at login, with which the application shows only its tray icon. */
const LOGIN_ARGS = ['--hidden']

/**
 * Returns the file of the XDG autostart entry. Linux desktops start all entries in this folder; Electron has no
 * function for it.
 */
const autostartFile = () =>
  join(
    process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'),
    'autostart/org.deskforge.desktop.desktop',
  )

/** Quotes an argument for the key `Exec` of a desktop entry. */
export const quoted = (text: string): string =>
  `"${text
    .replaceAll(/["`$\\]/g, String.raw`\$&`)
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`

function desktopEntry(): string {
  // An AppImage runs from a temporary mount. The variable has the path of its file.
  const program = process.env['APPIMAGE'] ?? process.execPath
  const command = [program, ...(app.isPackaged ? [] : [process.argv[1] ?? '']), ...LOGIN_ARGS]
  const lines = [
    'Type=Application',
    'Name=Deskforge',
    `Exec=${command.map(quoted).join(' ')}`,
    'Terminal=false',
  ]
  return `[Desktop Entry]\n${lines.join('\n')}\n`
}

/** Returns true if the application starts when the user logs in. */
export function isOpenedAtLogin(): boolean {
  if (process.platform === 'linux') return existsSync(autostartFile())
  return app.getLoginItemSettings({ args: LOGIN_ARGS }).openAtLogin
}

export function setOpenedAtLogin(isOpened: boolean): void {
  if (process.platform !== 'linux') app.setLoginItemSettings({ openAtLogin: isOpened, args: LOGIN_ARGS })
  else if (isOpened) {
    mkdirSync(dirname(autostartFile()), { recursive: true })
    writeFileSync(autostartFile(), desktopEntry())
  } else rmSync(autostartFile(), { force: true })
}
