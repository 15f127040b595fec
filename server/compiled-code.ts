import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'

import { defaultDataDir } from './data-dir.ts'

/** The folder of compiled code in a data folder. */
const FOLDER = 'cache/code'

/** What follows `--data-dir`, in either way of writing it. */
function folderNamed(args: readonly string[]): string | undefined {
  const index = args.findIndex((one) => one === '--data-dir' || one.startsWith('--data-dir='))
  if (index < 0) return undefined
  const found = args[index]!
  return found.includes('=') ? found.slice('--data-dir='.length) : args[index + 1]
}

/**
 * Keeps what V8 compiles in the data folder, so that the next start need not compile it again: a fifth of the start and
 * of the memory. Only where the data folder exists already: making it is the business of the start. Never fails; without
 * the cache everything works as well.
 */
export function keepCompiledCode(args: readonly string[], env: NodeJS.ProcessEnv): void {
  if (!args.includes('serve')) return
  const dataDir = resolve(folderNamed(args) || env['DESKFORGE_DATA_DIR'] || defaultDataDir())
  if (!existsSync(join(dataDir, 'deskforge.db'))) return
  const folder = join(dataDir, FOLDER)
  // One build is told from the next by the time of its file.
  const build = `${process.version}-${statSync(import.meta.filename).mtimeMs.toFixed(0)}`
  enableCompileCache(join(folder, build))
  removeOthers(folder, build)
}

/** What other builds and versions of Node left is never read again. */
function removeOthers(folder: string, current: string): void {
  try {
    for (const name of readdirSync(folder))
      if (name !== current) rmSync(join(folder, name), { recursive: true, force: true })
  } catch {
    // Whatever keeps us from tidying up, the start goes on.
  }
}
