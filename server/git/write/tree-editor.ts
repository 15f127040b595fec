import { GitActionError } from '../errors.ts'
import { newObject } from '../read/objects.ts'
import type { NewObject } from '../read/objects.ts'
import { readTree, toBytes, typeOfMode } from './tree-object.ts'
import type { TreeItem } from './tree-object.ts'
import type { Repo } from '../types.ts'

interface Leaf {
  readonly mode: string
  readonly id: string
}

/** A folder with loaded entries. Folders that are not loaded are leaves with their id. */
interface Folder {
  readonly entries: Map<string, Leaf | Folder>
  isChanged: boolean
}

const FOLDER_MODE = '040000'

/** Changes a tree in memory. Only the folders on the path of a change are read and written. */
export class TreeEditor {
  readonly #repo: Repo
  readonly #root: Folder

  private constructor(repo: Repo, root: Folder) {
    this.#repo = repo
    this.#root = root
  }

  /** @param tree the id of the tree to change; null for an empty one */
  static async open(repo: Repo, tree: string | null): Promise<TreeEditor> {
    return new TreeEditor(
      repo,
      tree === null ? { entries: new Map(), isChanged: true } : await load(repo, tree),
    )
  }

  /** The entry at a path: a leaf, `folder`, or undefined. */
  async get(path: string): Promise<Leaf | 'folder' | undefined> {
    const { names, name } = split(path)
    let folder = this.#root
    for (const part of names) {
      const next = await this.#enter(folder, part)
      if (next === undefined) return undefined
      folder = next
    }
    const entry = folder.entries.get(name)
    if (entry !== undefined && isFolder(entry) && isEmpty(entry)) return undefined
    return entry === undefined || (!isFolder(entry) && entry.mode !== FOLDER_MODE) ? entry : 'folder'
  }

  /** Sets a file and creates the folders on its path. Throws GitActionError if a folder of the path is a file. */
  async set(path: string, leaf: Leaf): Promise<void> {
    const { names, name } = split(path)
    let folder = this.#root
    folder.isChanged = true
    for (const part of names) {
      let next = await this.#enter(folder, part)
      if (next === undefined) {
        if (folder.entries.has(part)) throw new GitActionError('not_a_folder', path)
        next = { entries: new Map(), isChanged: true }
        folder.entries.set(part, next)
      }
      next.isChanged = true
      folder = next
    }
    folder.entries.set(name, leaf)
  }

  /** Removes an entry. `finish` leaves out folders that became empty. */
  async remove(path: string): Promise<void> {
    const { names, name } = split(path)
    let folder: Folder | undefined = this.#root
    for (const part of names) {
      folder.isChanged = true
      folder = await this.#enter(folder, part)
      if (folder === undefined) return
    }
    folder.isChanged = true
    folder.entries.delete(name)
  }

  /** Returns the id of the changed tree, and adds the new tree objects to `objects`. */
  async finish(objects: NewObject[]): Promise<string> {
    const id = await finish(this.#root, objects)
    if (id !== null) return id
    const empty = await newObject('tree', Buffer.alloc(0))
    objects.push(empty)
    return empty.id
  }

  async #enter(folder: Folder, name: string): Promise<Folder | undefined> {
    const entry = folder.entries.get(name)
    if (entry === undefined || isFolder(entry)) return entry
    if (entry.mode !== FOLDER_MODE) return undefined
    const opened = { ...(await load(this.#repo, entry.id)), id: entry.id }
    folder.entries.set(name, opened)
    return opened
  }
}

async function load(repo: Repo, id: string): Promise<Folder & { id: string }> {
  const tree = await readTree(repo, id)
  if (tree === null) throw new GitActionError('no_base', '')
  return { entries: new Map(tree.items.map((item) => [item.name, item])), isChanged: false, id }
}

async function finish(folder: Folder & { id?: string }, objects: NewObject[]): Promise<string | null> {
  if (!folder.isChanged && folder.id !== undefined) return folder.id
  const items: TreeItem[] = []
  for (const [name, entry] of folder.entries) {
    if (!isFolder(entry)) items.push({ name, mode: entry.mode, id: entry.id })
    else {
      const id = await finish(entry, objects)
      if (id !== null) items.push({ name, mode: FOLDER_MODE, id })
    }
  }
  if (items.length === 0) return null
  const object = await newObject('tree', serialize(items))
  objects.push(object)
  return object.id
}

/** The content of a tree object. Git sorts entries by their bytes, and folders as if their names ended with a slash. */
function serialize(items: readonly TreeItem[]): Buffer {
  const keyed = items.map((item) => ({
    item,
    key: typeOfMode(item.mode) === 'tree' ? `${item.name}/` : item.name,
  }))
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1))
  return Buffer.concat(
    keyed.flatMap(({ item }) => [
      Buffer.from(`${item.mode.replace(/^0/, '')} ${item.name}\0`, 'latin1'),
      Buffer.from(item.id, 'hex'),
    ]),
  )
}

function isEmpty(folder: Folder): boolean {
  return folder.entries.values().every((entry) => isFolder(entry) && isEmpty(entry))
}

function isFolder(entry: Leaf | Folder): entry is Folder {
  return 'entries' in entry
}

function split(path: string): { names: string[]; name: string } {
  const parts = path.split('/').map(toBytes)
  return { names: parts.slice(0, -1), name: parts.at(-1)! }
}
