import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Config } from '../../../config.ts'
import { CI_CONFIG_FILE } from '../../../lib/aliases.ts'

const ENDING = '.yml'
/** The `latest` form of a template is the template itself. */
const LATEST = '.latest'

/** Folders of templates that are listed, and found without their folder, too; other templates can only be included. */
const LISTED = ['', 'Pages', 'Verify', 'Security']
/** Not listed, because `Jobs/Browser-Performance-Testing` is the same. */
const UNLISTED = ['Verify/Browser-Performance']

/** The folder of the texts: next to the built server, or next to this file. */
function folderOf(config: Config): string {
  const built = config.assetsDir && join(config.assetsDir, 'ci-templates')
  return built && existsSync(built) ? built : fileURLToPath(new URL('./data', import.meta.url))
}

/** All paths below the folder, without their ending. */
async function pathsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true })
  const texts = files.filter((file) => file.endsWith(ENDING))
  return texts.map((file) => file.slice(0, -ENDING.length).replaceAll(sep, '/')).sort()
}

/** The text of a template, or null. The folder of a listed template and the usual ending may be left out. */
export async function findTemplate(config: Config, name: string): Promise<string | null> {
  const short = name.endsWith(CI_CONFIG_FILE) ? name.slice(0, -CI_CONFIG_FILE.length) : name
  const wanted = short.endsWith(LATEST) ? short.slice(0, -LATEST.length) : short
  const folder = folderOf(config)
  // Only known paths are read, so that no name leads out of the folder.
  const paths = new Set(await pathsIn(folder))
  const path = LISTED.map((prefix) => (prefix === '' ? wanted : `${prefix}/${wanted}`)).find((path) =>
    paths.has(path),
  )
  return path === undefined ? null : readFile(join(folder, path + ENDING), 'utf8')
}

/** Names of the listed templates, without folder and ending, folder by folder. */
export async function templateNames(config: Config): Promise<string[]> {
  const paths = (await pathsIn(folderOf(config))).filter((path) => !UNLISTED.includes(path))
  return LISTED.flatMap((prefix) =>
    paths
      .filter((path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))) === prefix)
      .map((path) => path.slice(path.lastIndexOf('/') + 1)),
  )
}
