import type { DiffFile } from './diff-model.ts'

export interface FileTreeRow {
  /** Path of the folder or file from the root. */
  path: string
  name: string
  depth: number
  isOpen: boolean
  file: DiffFile | null
}

interface Node {
  path: string
  folders: Map<string, Node>
  files: DiffFile[]
}

/** Changed files as a tree: folders first, a chain of single folders in one row, as `src/wal`. */
export function fileTree(
  files: readonly DiffFile[],
  options: { folded: ReadonlySet<string>; filter: string },
): FileTreeRow[] {
  const wanted = options.filter.trim().toLowerCase()
  const root: Node = { path: '', folders: new Map(), files: [] }
  for (const file of files) if (file.path.toLowerCase().includes(wanted)) position(root, file)
  const rows: FileTreeRow[] = []
  walk(root, 0, rows, options.folded)
  return rows
}

/** Files in the order in which the tree shows them. */
export function inTreeOrder(files: readonly DiffFile[]): DiffFile[] {
  const rows = fileTree(files, { folded: new Set(), filter: '' })
  return rows.flatMap((row) => row.file ?? []).map((file, index) => ({ ...file, index }))
}

function position(root: Node, file: DiffFile): void {
  let node = root
  for (const part of file.path.split('/').slice(0, -1)) {
    const path = node.path ? `${node.path}/${part}` : part
    const next = node.folders.get(part) ?? { path, folders: new Map(), files: [] }
    node.folders.set(part, next)
    node = next
  }
  node.files.push(file)
}

function walk(node: Node, depth: number, rows: FileTreeRow[], folded: ReadonlySet<string>): void {
  for (const [part, child] of sorted(node.folders)) {
    let name = part
    let folder = child
    while (folder.files.length === 0 && folder.folders.size === 1) {
      const [only] = folder.folders
      if (!only) break
      name += `/${only[0]}`
      folder = only[1]
    }
    const isOpen = !folded.has(folder.path)
    rows.push({ path: folder.path, name, depth, isOpen, file: null })
    if (isOpen) walk(folder, depth + 1, rows, folded)
  }
  for (const file of node.files) {
    rows.push({
      path: file.path,
      name: file.path.slice(file.path.lastIndexOf('/') + 1),
      depth,
      isOpen: false,
      file,
    })
  }
}

function sorted(folders: Map<string, Node>): [string, Node][] {
  return [...folders].sort(([a], [b]) => (a < b ? -1 : 1))
}
