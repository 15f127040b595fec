import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the folders and the git program that the server uses, in `dist` and in the resources of a packaged
 * application.
 */
export function bundledParts(): { rendererDir: string; assetsDir: string; bundledGitPath?: string } {
  const dist = join(import.meta.dirname, '..')
  const gitFile = process.platform === 'win32' ? 'cmd/git.exe' : 'bin/git'
  const git = join(process.resourcesPath, 'git', gitFile)
  return {
    rendererDir: join(dist, 'renderer'),
    assetsDir: join(dist, 'server/assets'),
    ...(existsSync(git) ? { bundledGitPath: git } : {}),
  }
}
