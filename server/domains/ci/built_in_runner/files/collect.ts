import { spawn } from 'node:child_process'
import { lstat, opendir, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'

import { type Glob, globOf } from '../../../ci_config/index.ts'

/** A selection of files of a project (spec ci 4.5). */
export interface Selection {
  readonly paths: readonly string[]
  readonly exclude?: readonly string[]
  readonly untracked?: boolean
}

/** The found files, as paths relative to the project with `/`, and a note for the log about each path. */
export interface Collected {
  readonly files: string[]
  readonly notes: string[]
}

/** The maximum number of files in one artifact. */
const MAX_FILES = 200_000
/** The time limit in milliseconds for git to list files. Even a large folder takes only a fraction of it. */
const LISTING_MS = 60_000

/**
 * Finds files of a project by paths and patterns. A folder includes all files below it. Files outside the project are
 * not found, and symbolic links are not followed.
 */
export async function collect(
  project: string,
  selection: Selection,
  env: Record<string, string>,
): Promise<Collected> {
  const paths = new Set<string>()
  const notes: string[] = []
  // A final `**` matches everything below a folder.
  const excluded = (selection.exclude ?? []).map((path) => globOf(path.replace(/(^|\/)\*\*$/, '$1**/*')))
  const isIncluded = (path: string): boolean => !excluded.some((glob) => glob.covers(path))
  for (const path of selection.paths) {
    const before = paths.size
    for await (const file of filesOf(project, path)) {
      if (isIncluded(file)) paths.add(file)
      if (paths.size > MAX_FILES) throw new Error(`There are more than ${MAX_FILES} files.`)
    }
    const count = paths.size - before
    notes.push(count > 0 ? `${path}: found ${count} matching artifact files and directories` : missing(path))
  }
  if (selection.untracked) {
    const untracked = (await untrackedFiles(project, env)).filter(isIncluded)
    for (const file of untracked) paths.add(file)
    notes.push(untracked.length > 0 ? `untracked: found ${untracked.length} files` : 'untracked: no files')
  }
  return { files: [...paths].toSorted(), notes }
}

const missing = (path: string): string =>
  `\x1b[0;33mWARNING: ${path}: no matching files. Ensure that the artifact path is relative to the working directory\x1b[0;m`

async function* filesOf(project: string, input: string): AsyncGenerator<string> {
  const path = projectPath(project, input)
  if (path === undefined) return
  const glob = globOf(path)
  const start = literalPrefix(path)
  // A missing folder, or a path through a file, matches nothing.
  const stat = await lstat(join(project, start)).catch(() => undefined)
  if (!stat || (start !== '' && !(await isInside(project, dirname(join(project, start)))))) return
  if (!stat.isDirectory()) {
    const isFile = stat.isFile() || stat.isSymbolicLink()
    if (isFile && (glob.covers(start) || start === path)) yield start
    return
  }
  const isWholeFolder = start === path || path === ''
  yield* walk(project, start, isWholeFolder ? undefined : glob)
}

/** The path relative to the project, `''` for the project itself. Undefined if it leads outside. */
function projectPath(project: string, path: string): string | undefined {
  const relativePath = isAbsolute(path) ? relative(project, path) : path
  const segments = relativePath
    .split(sep === '\\' ? /[\\/]/ : '/')
    .filter((name) => name !== '' && name !== '.')
  return segments.includes('..') ? undefined : segments.join('/')
}

/** Whether a folder is inside the project after symbolic links are resolved. */
async function isInside(project: string, folder: string): Promise<boolean> {
  const path = relative(await realpath(project), await realpath(folder))
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path)
}

/** The leading segments of a path, up to the first one with a wildcard. */
function literalPrefix(path: string): string {
  const segments = path.split('/')
  const index = segments.findIndex((segment) => /[*?[{\\]/.test(segment))
  return (index < 0 ? segments : segments.slice(0, index)).join('/')
}

/** The files below a folder, if the glob covers them or one of their folders. Without a glob, all files. */
async function* walk(project: string, folder: string, glob: Glob | undefined): AsyncGenerator<string> {
  const dir = await opendir(join(project, folder)).catch(() => undefined)
  if (!dir) return
  for await (const entry of dir) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    const isCovered = glob === undefined || glob.covers(path)
    if (entry.isDirectory()) yield* walk(project, path, isCovered ? undefined : glob)
    else if (isCovered && (entry.isFile() || entry.isSymbolicLink())) yield path
  }
}

async function untrackedFiles(project: string, env: Record<string, string>): Promise<string[]> {
  // The job controls the settings of this repository, so settings that start programs are turned off.
  const child = spawn('git', ['-c', 'core.fsmonitor=false', 'ls-files', '-o', '-z'], {
    cwd: project,
    env,
    timeout: LISTING_MS,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const output = buffer(child.stdout)
  const code = await new Promise<number | null>((resolve) =>
    child.once('close', resolve).once('error', () => resolve(null)),
  )
  return code === 0 ? (await output).toString().split('\0').filter(Boolean) : []
}
