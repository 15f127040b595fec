import { homedir } from 'node:os'
import { join } from 'node:path'

/** The default data folder, where the platform stores application data. */
export function defaultDataDir(
  platform: string = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): string {
  if (platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'Deskforge')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Deskforge')
  return join(env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'deskforge')
}

/** The folder for the compiled code of temporary instances, because their data folders are deleted. */
export function codeFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'deskforge', 'code')
}
