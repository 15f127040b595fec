import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Config } from '../../../config.ts'
import { CI_CONFIG_FILE } from '../../../lib/aliases.ts'

const SUFFIX = '.yml'
/** A name with this suffix is the same template. */
const LATEST = '.latest'

/**
 * The folders with templates that are listed and are also found without the name of the folder. Other templates can only be
 * included.
 */
const LISTED = ['', 'Pages', 'Verify', 'Security']
/** Templates that are not listed, because another one is the same (`Jobs/Browser-Performance-Testing`). */
const UNLISTED = ['Verify/Browser-Performance']

/** The folder of the templates: next to the built server, or next to this file. */
function folderOf(config: Config): string {
  const builtFolder = config.assetsDir && join(config.assetsDir, 'ci-templates')
  return builtFolder && existsSync(builtFolder)
    ? builtFolder
    : fileURLToPath(new URL('./data', import.meta.url))
}

/** The paths of all templates below the folder, without the suffix. */
async function pathsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true })
  const templates = files.filter((file) => file.endsWith(SUFFIX))
  return templates.map((file) => file.slice(0, -SUFFIX.length).replaceAll(sep, '/')).sort()
}

/** The text of a template, or null. The name may lack the folder of a listed template, and may have a usual suffix. */
export async function findTemplate(config: Config, name: string): Promise<string | null> {
  const base = name.endsWith(CI_CONFIG_FILE) ? name.slice(0, -CI_CONFIG_FILE.length) : name
  const templateName = base.endsWith(LATEST) ? base.slice(0, -LATEST.length) : base
  const folder = folderOf(config)
  // The name is compared with existing paths, so it cannot lead out of the folder.
  const paths = new Set(await pathsIn(folder))
  const candidates = LISTED.map((prefix) => (prefix === '' ? templateName : `${prefix}/${templateName}`))
  const path = candidates.find((candidate) => paths.has(candidate))
  return path === undefined ? null : readFile(join(folder, path + SUFFIX), 'utf8')
}

/** The names of the listed templates without folder and suffix, folder by folder. */
export async function templateNames(config: Config): Promise<string[]> {
  const paths = (await pathsIn(folderOf(config))).filter((path) => !UNLISTED.includes(path))
  return LISTED.flatMap((prefix) =>
    paths
      .filter((path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))) === prefix)
      .map((path) => path.slice(path.lastIndexOf('/') + 1)),
  )
}
