import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The files that the server needs in a packed application: in `dist` and in its resources. */
export function bundledParts(): { rendererDir: string; assetsDir: string; bundledGitPath?: string } {
  const dist = join(import.meta.dirname, '..')
  const program = process.platform === 'win32' ? 'cmd/git.exe' : 'bin/git'
  const git = join(process.resourcesPath, 'git', program)
  return {
    rendererDir: join(dist, 'renderer'),
    assetsDir: join(dist, 'server/assets'),
    ...(existsSync(git) ? { bundledGitPath: git } : {}),
  }
}
