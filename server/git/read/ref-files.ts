import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

import { isBranchName, isObjectId, isRefName, ZERO_ID } from '../names.ts'
import type { RefValue, Repo } from '../types.ts'

/** The maximum size of a file of packed refs. Git reads only a part of a larger file. */
const MAX_PACKED_BYTES = 1024 * 1024
/** The maximum number of files to read. For more, a git process takes less time. */
const MAX_FILES = 200

/** Thrown for a repository with refs that only git can read. */
class OnlyGit extends Error {}

/**
 * All refs below a prefix that ends with a slash, sorted by name as git does, without a git process. Undefined if only git
 * can read them: there are many of them, or symbolic, damaged or unusually named ones.
 */
export function readRefFiles(gitDir: string, prefix: string): RefValue[] | undefined {
  // A missing repository is reported by git.
  if (!prefix.endsWith('/') || !existsSync(path.join(gitDir, 'HEAD'))) return undefined
  try {
    // The own files come first: while git packs a ref, it is in both.
    const loose = new Map<string, string>()
    readFolder(gitDir, prefix, loose)
    const packed = packedRefs(gitDir)
    if (packed === undefined) return undefined
    for (const [ref, oid] of packed) if (ref.startsWith(prefix) && !loose.has(ref)) loose.set(ref, oid)
    return [...loose].map(([ref, oid]) => ({ ref, oid })).sort((a, b) => compareBytes(a.ref, b.ref))
  } catch (error) {
    if (error instanceof OnlyGit || (error as NodeJS.ErrnoException).code !== undefined) return undefined
    throw error
  }
}

/**
 * The commit of a branch (short name) with its own file, if the commit is cached; most requests are about such branches.
 * Undefined for all others, which git has to look up.
 */
export function cachedTip(repo: Repo, branch: string): string | undefined {
  if (!isBranchName(branch)) return undefined
  try {
    const text = readFileSync(path.join(repo.gitDir, 'refs/heads', branch), 'latin1')
    const oid = text.slice(0, -1)
    return text.endsWith('\n') && repo.git.cache.get(repo, 'commit', oid) !== undefined ? oid : undefined
  } catch {
    return undefined
  }
}

function readFolder(gitDir: string, folder: string, found: Map<string, string>): void {
  for (const entry of entriesOf(path.join(gitDir, folder))) {
    const ref = folder + entry.name
    if (entry.isDirectory()) readFolder(gitDir, `${ref}/`, found)
    else if (!entry.name.endsWith('.lock')) {
      if (!entry.isFile() || !isRefName(ref) || ref.includes('\uFFFD') || found.size === MAX_FILES)
        throw new OnlyGit()
      const text = readFileSync(path.join(gitDir, ref), 'latin1')
      const oid = text.slice(0, -1)
      if (!text.endsWith('\n') || !isObjectId(oid) || oid === ZERO_ID) throw new OnlyGit()
      found.set(ref, oid)
    }
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    // Git removes a folder with its last ref.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The object ids of packed refs, by name; undefined for a large file. */
export function packedRefs(gitDir: string): Map<string, string> | undefined {
  const file = path.join(gitDir, 'packed-refs')
  try {
    if (statSync(file).size > MAX_PACKED_BYTES) return undefined
    const lines = readFileSync(file, 'utf8').split('\n')
    return new Map(
      lines.flatMap((line) => (/^[0-9a-f]{40} /.test(line) ? [[line.slice(41), line.slice(0, 40)]] : [])),
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw error
  }
}

function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
