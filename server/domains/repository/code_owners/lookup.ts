import { setImmediate } from 'node:timers/promises'

import { readBlob } from '../../../git/read/blob.ts'
import { GitError } from '../../../git/errors.ts'
import { findEntry } from '../../../git/read/tree.ts'
import type { Repo } from '../../../git/types.ts'
import { CODE_OWNER_FILES } from '../../../lib/aliases.ts'
import { parseOwners, type OwnerEntry, type OwnerFile, type OwnerSection } from './parse.ts'
import { matches } from './pattern.ts'

const MAX_BYTES = 1024 * 1024

/**
 * Returns the CODEOWNERS file of a commit and its path: the first of the three possible paths that exists. Null if
 * there is none.
 */
export async function readOwners(
  repo: Repo,
  commit: string,
): Promise<{ path: string; file: OwnerFile } | null> {
  for (const path of CODE_OWNER_FILES) {
    const entry = await findEntry(repo, commit, path)
    if (entry?.type !== 'blob') continue
    const file = await parsed(repo, entry.id)
    return file && { path, file }
  }
  return null
}

async function parsed(repo: Repo, id: string): Promise<OwnerFile | null> {
  const known = repo.git.cache.get<OwnerFile>(repo, 'code-owners', id)
  if (known !== undefined) return known
  const blob = await readBlob(repo, id, { maxBytes: MAX_BYTES }).catch((error: unknown) => {
    // Ignores a file too large to be written by hand.
    if (error instanceof GitError && error.reason === 'output_limit') return null
    throw error
  })
  if (blob === null) return null
  const content = parseOwners(blob.content.toString('utf8'))
  return repo.git.cache.set(repo, 'code-owners', id, { content, bytes: 1000 + 6 * blob.size })
}

/** An entry that owns files, with its section. */
export interface OwnedPaths {
  readonly section: OwnerSection
  readonly entry: OwnerEntry
  readonly paths: readonly string[]
}

/** The number of comparisons before other requests get a turn. */
const COMPARISONS_AT_ONCE = 10_000

/**
 * Returns the entries that own some of the files, by section. In each section the last entry that matches a file
 * owns it.
 */
export async function ownersOfPaths(file: OwnerFile, paths: readonly string[]): Promise<OwnedPaths[]> {
  const found: OwnedPaths[] = []
  const distinct = [...new Set(paths)]
  let comparisons = 0
  for (const section of file.sections) {
    const byEntry = new Map<OwnerEntry, string[]>()
    for (const path of distinct) {
      const entry = section.entries.findLast((one) => matches(one.pattern, path))
      if (entry && entry.owners.length > 0) byEntry.set(entry, [...(byEntry.get(entry) ?? []), path])
      comparisons += section.entries.length
      if (comparisons > COMPARISONS_AT_ONCE) {
        comparisons = 0
        await setImmediate()
      }
    }
    for (const [entry, owned] of byEntry) found.push({ section, entry, paths: owned })
  }
  return found
}

/** Returns the patterns, as written, of the entries that own some of the files. */
export async function matchingPatterns(file: OwnerFile, paths: readonly string[]): Promise<string[]> {
  const owned = await ownersOfPaths(file, paths)
  return [...new Set(owned.map(({ entry }) => entry.text))]
}
