import { spawn } from 'node:child_process'
import { lstat, opendir, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'

import { type Glob, globOf } from '../../../ci_config/index.ts'

/** Selects files of a project (spec ci 4.5). */
export interface Selection {
  readonly paths: readonly string[]
  readonly exclude?: readonly string[]
  readonly untracked?: boolean
}

/** The found files, relative to the project with `/`, and the number for each path. */
export interface Collected {
  readonly files: string[]
  readonly notes: string[]
}

/** The maximum number of files in one artifact. */
const MAX_FILES = 200_000
/** Time limit for git to list files; a large folder takes a fraction of it. */
const LISTING_MS = 60_000

/**
 * Finds files of a project by paths and patterns. A folder includes everything in it. Nothing outside the project is
 * found, and symbolic links are not followed.
 */
export async function collect(
  project: string,
  wanted: Selection,
  env: Record<string, string>,
): Promise<Collected> {
  const paths = new Set<string>()
  const notes: string[] = []
  // A final `**` matches everything below a folder.
  const excluded = (wanted.exclude ?? []).map((path) => globOf(path.replace(/(^|\/)\*\*$/, '$1**/*')))
  const isKept = (path: string): boolean => !excluded.some((glob) => glob.covers(path))
  for (const path of wanted.paths) {
    const before = paths.size
    for await (const file of filesOf(project, path)) {
      if (isKept(file)) paths.add(file)
      if (paths.size > MAX_FILES) throw new Error(`There are more than ${MAX_FILES} files.`)
    }
    const count = paths.size - before
    notes.push(count > 0 ? `${path}: found ${count} matching artifact files and directories` : missing(path))
  }
  if (wanted.untracked) {
    const untracked = (await untrackedFiles(project, env)).filter(isKept)
    for (const file of untracked) paths.add(file)
    notes.push(untracked.length > 0 ? `untracked: found ${untracked.length} files` : 'untracked: no files')
  }
  return { files: [...paths].toSorted(), notes }
}

const missing = (path: string): string =>
  `\x1b[0;33mWARNING: ${path}: no matching files. Ensure that the artifact path is relative to the working directory\x1b[0;m`

async function* filesOf(project: string, input: string): AsyncGenerator<string> {
  const path = inProject(project, input)
  if (path === undefined) return
  const glob = globOf(path)
  const start = fixedPart(path)
  // A missing folder, or a path through a file, matches nothing.
  const stat = await lstat(join(project, start)).catch(() => undefined)
  if (!stat || (start !== '' && !(await isInside(project, dirname(join(project, start)))))) return
  if (!stat.isDirectory()) {
    const isKept = stat.isFile() || stat.isSymbolicLink()
    if (isKept && (glob.covers(start) || start === path)) yield start
    return
  }
  const isWhole = start === path || path === ''
  yield* walk(project, start, isWhole ? undefined : glob)
}

/** The path relative to the project, `''` for the project itself. Undefined if it leads outside. */
function inProject(project: string, path: string): string | undefined {
  const local = isAbsolute(path) ? relative(project, path) : path
  const parts = local.split(sep === '\\' ? /[\\/]/ : '/').filter((part) => part !== '' && part !== '.')
  return parts.includes('..') ? undefined : parts.join('/')
}

/** True if a folder is inside the project after resolving symbolic links. */
async function isInside(project: string, folder: string): Promise<boolean> {
  const way = relative(await realpath(project), await realpath(folder))
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** The leading folders of a path, before the first pattern. */
function fixedPart(path: string): string {
  const parts = path.split('/')
  const at = parts.findIndex((part) => /[*?[{\\]/.test(part))
  return (at < 0 ? parts : parts.slice(0, at)).join('/')
}

/** Files below a folder that the glob matches, themselves or one of their folders. All files without a glob. */
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
  const listed = buffer(child.stdout)
  const code = await new Promise<number | null>((resolve) =>
    child.once('close', resolve).once('error', () => resolve(null)),
  )
  return code === 0 ? (await listed).toString().split('\0').filter(Boolean) : []
}
