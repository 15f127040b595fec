import { access, constants } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { git } from '../args.ts'
import { createGit } from './engine.ts'
import { run } from './run.ts'
import { GitError } from '../errors.ts'

/** The oldest git that has every command that Deskforge uses (`merge-tree --write-tree`, `cat-file --batch-command`). */
export const OLDEST_GIT = '2.38'

export interface DetectedGit {
  readonly binary: string
  /** The version that git prints, such as `2.39.5`. */
  readonly version: string
}

export interface GitCandidates {
  /** The path from the settings. If it is set, no other git is tried. */
  readonly setting?: string | null
  /** The path of the git in the packaged app. */
  readonly bundled?: string | null
  /** The value of PATH; by default that of this process. */
  readonly path?: string
}

/** No usable git was found. The message is one sentence for the user. */
export class GitNotFoundError extends Error {
  override readonly name = 'GitNotFoundError'
}

/**
 * Finds git: at the path from the settings, or the bundled one, or in PATH. Checks that it runs and is new enough.
 * Throws GitNotFoundError.
 */
export async function discoverGit(candidates: GitCandidates = {}): Promise<DetectedGit> {
  const binary = await locate(candidates)
  const version = await versionOf(binary)
  if (!isNewEnough(version)) {
    throw new GitNotFoundError(
      `Git ${OLDEST_GIT} or newer is needed, but ${binary} is version ${version}; please update git or set another path.`,
    )
  }
  return { binary, version }
}

/** True when a version such as `2.39.5` or `2.45.1.windows.1` is not older than OLDEST_GIT. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_GIT.split('.').map(Number)
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}

async function locate(candidates: GitCandidates): Promise<string> {
  if (candidates.setting) {
    if (await isExecutable(candidates.setting)) return candidates.setting
    throw new GitNotFoundError(
      `The git set in the settings, ${candidates.setting}, cannot be run; please correct the path.`,
    )
  }
  if (candidates.bundled && (await isExecutable(candidates.bundled))) return candidates.bundled
  const folders = (candidates.path ?? process.env['PATH'] ?? '').split(path.delimiter)
  for (const folder of folders.filter((entry) => path.isAbsolute(entry))) {
    const candidate = path.join(folder, process.platform === 'win32' ? 'git.exe' : 'git')
    if (await isExecutable(candidate)) return candidate
  }
  throw new GitNotFoundError(`Git was not found; please install git ${OLDEST_GIT} or newer.`)
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function versionOf(binary: string): Promise<string> {
  // Starting the spawner's helper process takes longer than this one command.
  const probe = createGit({ binary, home: tmpdir(), spawner: { minMemoryBytes: Infinity } })
  try {
    const { stdout } = await run(probe, 'git.version', git`version`, { timeoutMs: 10_000, maxBytes: 10_000 })
    const match = /^git version (\d+\.\d+[^\s]*)/.exec(stdout.toString('utf8'))
    if (match?.[1] !== undefined) return match[1]
  } catch (error) {
    if (!(error instanceof GitError)) throw error
  } finally {
    await probe.close()
  }
  throw new GitNotFoundError(
    `The program ${binary} does not answer like git; please install git ${OLDEST_GIT} or newer.`,
  )
}
