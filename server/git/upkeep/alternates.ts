import path from 'node:path'
import type { Repo } from '../types.ts'

/** The environment variable that lets git also read these object folders (absolute paths). */
export function alternatesEnv(folders: readonly string[]): Record<string, string> {
  if (folders.length === 0) return {}
  // Git splits the list at the separator, except inside double quotes.
  const isPlain = (folder: string) => !folder.includes(path.delimiter) && !folder.startsWith('"')
  const list = folders.map((folder) => (isPlain(folder) ? folder : JSON.stringify(folder)))
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: list.join(path.delimiter) }
}

/** The folder of a repository's objects. */
export function objectsOf(repo: Repo): string {
  return path.join(repo.gitDir, 'objects')
}

/**
 * A handle of `repo` that also reads the objects of `other`, to compare the two. The refs are those of `repo`. Do not
 * write with it, because a written object could refer to objects that `repo` does not have.
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
