import { spawn } from 'node:child_process'
import { lstat, opendir, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { buffer } from 'node:stream/consumers'

import { type Glob, globOf } from '../../../ci_config/index.ts'

/** Which files of a project are meant (spec ci 4.5). */
export interface Wanted {
  readonly paths: readonly string[]
  readonly exclude?: readonly string[]
  readonly untracked?: boolean
}

/** Files that were found, relative to the project, with `/`; and what each path found. */
export interface Collected {
  readonly files: string[]
  readonly notes: string[]
}

/** A folder with more files than this is no artifact. */
const MOST = 200_000
/** Git lists a large folder in a small part of this. */
const LISTING_MS = 60_000

/**
 * Finds files of a project by paths and patterns; a folder means everything in it. Nothing outside of the project is found,
 * and links are taken as links.
 */
export async function collect(
  project: string,
  wanted: Wanted,
  env: Record<string, string>,
): Promise<Collected> {
  const found = new Set<string>()
  const notes: string[] = []
  // A final `**` means everything below a folder, however deep.
  const excluded = (wanted.exclude ?? []).map((path) => globOf(path.replace(/(^|\/)\*\*$/, '$1**/*')))
  const isKept = (path: string): boolean => !excluded.some((glob) => glob.covers(path))
  for (const path of wanted.paths) {
    const before = found.size
    for await (const file of filesOf(project, path)) {
      if (isKept(file)) found.add(file)
      if (found.size > MOST) throw new Error(`More than ${MOST} files are too many.`)
    }
    const count = found.size - before
    notes.push(count > 0 ? `${path}: found ${count} matching artifact files and directories` : missing(path))
  }
  if (wanted.untracked) {
    const untracked = (await untrackedFiles(project, env)).filter(isKept)
    for (const file of untracked) found.add(file)
    notes.push(untracked.length > 0 ? `untracked: found ${untracked.length} files` : 'untracked: no files')
  }
  return { files: [...found].toSorted(), notes }
}

const missing = (path: string): string =>
  `\x1b[0;33mWARNING: ${path}: no matching files. Ensure that the artifact path is relative to the working directory\x1b[0;m`

async function* filesOf(project: string, given: string): AsyncGenerator<string> {
  const path = inProject(project, given)
  if (path === undefined) return
  const glob = globOf(path)
  const start = fixedPart(path)
  // A project that is not there, or a path through a file, has no such files.
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

/** The path below the project, `''` for all of it; undefined for one that leads out of it. */
function inProject(project: string, given: string): string | undefined {
  const local = isAbsolute(given) ? relative(project, given) : given
  const parts = local.split(sep === '\\' ? /[\\/]/ : '/').filter((part) => part !== '' && part !== '.')
  return parts.includes('..') ? undefined : parts.join('/')
}

/** Whether a folder is in the project really, wherever links on the way lead. */
async function isInside(project: string, folder: string): Promise<boolean> {
  const way = relative(await realpath(project), await realpath(folder))
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** The folders in front of the first pattern. */
function fixedPart(path: string): string {
  const parts = path.split('/')
  const at = parts.findIndex((part) => /[*?[{\\]/.test(part))
  return (at < 0 ? parts : parts.slice(0, at)).join('/')
}

/** Files below a folder that a glob covers, or of which it covers a folder above; all files without one. */
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
  // The settings of the repository are the job's own: no program of theirs runs here, and nothing waits for one.
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
