import path from 'node:path'
import type { Repo } from '../types.ts'

/** The environment in which git also sees the objects in further object folders (absolute paths). */
export function alternatesEnv(folders: readonly string[]): Record<string, string> {
  if (folders.length === 0) return {}
  // Git splits at the separator and takes what is in double quotes as it is.
  const isPlain = (folder: string) => !folder.includes(path.delimiter) && !folder.startsWith('"')
  const list = folders.map((folder) => (isPlain(folder) ? folder : JSON.stringify(folder)))
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: list.join(path.delimiter) }
}

/** Where the objects of a repository lie. */
export function objectsOf(repo: Repo): string {
  return path.join(repo.gitDir, 'objects')
}

/**
 * A repository that also sees the objects of another one, to compare what the two hold. For reading only: what is
 * written through it may stand on objects that the repository itself has not. Refs are its own.
 */
export function withObjectsOf(repo: Repo, other: Repo): Repo {
  if (repo.gitDir === other.gitDir) return repo
  return {
    git: repo.git,
    key: `${repo.key}+${other.key}`,
    get gitDir() {
      return repo.gitDir
    },
    get alternates() {
      return [objectsOf(other)]
    },
  }
}
