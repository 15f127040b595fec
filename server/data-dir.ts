import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where the platform keeps an application's data: the default data folder. */
export function defaultDataDir(
  platform: string = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): string {
  if (platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'Deskforge')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Deskforge')
  return join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'deskforge')
}
