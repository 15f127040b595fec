import type { Directory } from './directory.ts'

/** A folder or file right in a folder of an archive. */
export interface ListedEntry {
  readonly name: string
  readonly path: string
  readonly type: 'tree' | 'blob'
  /** Bytes; of a folder those of all files below. */
  readonly size: number
}

/** What is right in a folder of an archive, folders first, by name; undefined where there is no such folder. */
export function listFolder(directory: Directory, folder: string): ListedEntry[] | undefined {
  const prefix = folder === '' ? '' : `${folder}/`
  const folders = new Map<string, number>()
  const files: ListedEntry[] = []
  for (const { path, size } of directory.values()) {
    if (!path.startsWith(prefix)) continue
    const end = path.indexOf('/', prefix.length)
    if (end < 0) files.push({ name: path.slice(prefix.length), path, type: 'blob', size })
    else {
      const name = path.slice(prefix.length, end)
      folders.set(name, (folders.get(name) ?? 0) + size)
    }
  }
  if (folder !== '' && folders.size === 0 && files.length === 0) return undefined
  const trees = [...folders].map(([name, size]) => ({
    name,
    path: prefix + name,
    type: 'tree' as const,
    size,
  }))
  return [...trees.sort(byName), ...files.sort(byName)]
}

function byName(a: ListedEntry, b: ListedEntry): number {
  return a.name < b.name ? -1 : 1
}
