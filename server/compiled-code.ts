import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'

import { codeFolder, defaultDataDir } from './data-dir.ts'

/** The folder of compiled code in a data folder. */
const FOLDER = 'cache/code'

/** The value of `--data-dir`, in both spellings. */
function dataDirOption(args: readonly string[]): string | undefined {
  const index = args.findIndex((arg) => arg === '--data-dir' || arg.startsWith('--data-dir='))
  if (index < 0) return undefined
  const arg = args[index]!
  return arg.includes('=') ? arg.slice('--data-dir='.length) : args[index + 1]
}

/**
 * Stores V8's compiled code in the data folder, which saves a fifth of the start time and of the memory. Does nothing
 * before the first start has created the data folder. Never throws, because the cache is optional.
 */
export function cacheCompiledCode(args: readonly string[], env: NodeJS.ProcessEnv): void {
  if (!args.includes('serve')) return
  if (args.includes('--ephemeral')) return enableCacheIn(codeFolder(env))
  const dataDir = resolve(dataDirOption(args) || env['DESKFORGE_DATA_DIR'] || defaultDataDir())
  if (!existsSync(join(dataDir, 'deskforge.db'))) return
  enableCacheIn(join(dataDir, FOLDER))
}

function enableCacheIn(folder: string): void {
  // The modification time of the file identifies a build.
  const build = `${process.version}-${statSync(import.meta.filename).mtimeMs.toFixed(0)}`
  enableCompileCache(join(folder, build))
  removeOthers(folder, build)
}

/** Removes the cache of other builds and Node versions. */
function removeOthers(folder: string, current: string): void {
  try {
    for (const name of readdirSync(folder))
      if (name !== current) rmSync(join(folder, name), { recursive: true, force: true })
  } catch {
    // The cache is optional, so the start continues.
  }
}
