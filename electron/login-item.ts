import { app } from 'electron'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** Started at login, the application shows only its tray icon. */
const ARGS = ['--hidden']

/** Linux desktops start every entry of this folder (XDG Autostart); Electron has no call for it. */
const autostartFile = () =>
  join(
    process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'),
    'autostart/org.deskforge.desktop.desktop',
  )

/** Quotes an argument for the `Exec` key of a desktop entry. */
export const quoted = (text: string): string =>
  `"${text
    .replaceAll(/["`$\\]/g, String.raw`\$&`)
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`

function desktopEntry(): string {
  // An AppImage runs from a mount that is gone after its end; the variable names the file itself.
  const program = process.env['APPIMAGE'] ?? process.execPath
  const command = [program, ...(app.isPackaged ? [] : [process.argv[1] ?? '']), ...ARGS]
  const lines = [
    'Type=Application',
    'Name=Deskforge',
    `Exec=${command.map(quoted).join(' ')}`,
    'Terminal=false',
  ]
  return `[Desktop Entry]\n${lines.join('\n')}\n`
}

/** Whether the application starts when the user logs in. */
export function isOpenedAtLogin(): boolean {
  if (process.platform === 'linux') return existsSync(autostartFile())
  return app.getLoginItemSettings({ args: ARGS }).openAtLogin
}

export function setOpenedAtLogin(wanted: boolean): void {
  if (process.platform !== 'linux') app.setLoginItemSettings({ openAtLogin: wanted, args: ARGS })
  else if (wanted) {
    mkdirSync(dirname(autostartFile()), { recursive: true })
    writeFileSync(autostartFile(), desktopEntry())
  } else rmSync(autostartFile(), { force: true })
}
