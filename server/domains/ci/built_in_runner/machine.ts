import { accessSync, constants, statSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join } from 'node:path'

import { endOrphans } from './run/shell.ts'
import { removeWorkspace } from './run/workspace.ts'

/** The time in milliseconds after which unused caches are deleted. */
const UNUSED_MS = 30 * 86_400_000
/** The variables of the instance's environment that jobs receive in addition to `PATH`. */
const INHERITED = ['LANG', 'LC_ALL', 'TZ']
/** Folders that are missing from `PATH` if the application was not started from a terminal. */
const EXTRA_FOLDERS = process.platform === 'darwin' ? ['/usr/local/bin', '/opt/homebrew/bin'] : []

/** The folders of the runner in the data folder. */
export function folders(dataDir: string) {
  const root = join(dataDir, 'built_in_runner')
  return { builds: join(root, 'builds'), caches: join(root, 'caches') }
}

/** The shell for jobs: bash, or else sh. Undefined if neither works. */
export function findShell(): string | undefined {
  if (process.platform === 'win32') return undefined
  for (const name of ['bash', 'sh']) {
    const path = (process.env['PATH'] ?? '')
      .split(delimiter)
      .map((dir) => join(dir, name))
      .find(isProgram)
    if (path) return path
  }
  return undefined
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' }

/** The operating system and architecture, with the names that runners use. */
export function system(): { platform: string; architecture: string } {
  return { platform: process.platform, architecture: ARCHITECTURES[process.arch] ?? process.arch }
}

/** The environment of a job's programs in addition to its variables. `git` is the path or name of the instance's git. */
export function environment(git: string): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const path = [
    process.env['PATH'] ?? '',
    ...EXTRA_FOLDERS,
    ...(isAbsolute(git) ? [dirname(git)] : []),
  ].filter(Boolean)
  return { LANG: 'C.UTF-8', ...Object.fromEntries(inherited), PATH: path.join(delimiter) }
}

/** Ends programs and deletes folders of interrupted jobs, and deletes caches that have not been used for a month. */
export async function cleanUp(dataDir: string, now: number): Promise<void> {
  const { builds, caches } = folders(dataDir)
  await endOrphans(builds)
  await removeWorkspace({ root: builds })
  for (const project of await readdir(caches).catch(() => [])) {
    for (const name of await readdir(join(caches, project)).catch(() => [])) {
      const file = join(caches, project, name)
      const stats = await stat(file).catch(() => undefined)
      if (stats && (name.endsWith('.part') || now - stats.mtimeMs > UNUSED_MS))
        await rm(file, { force: true })
    }
  }
}
