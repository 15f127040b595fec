import { setImmediate } from 'node:timers/promises'
import { isObjectId } from '../names.ts'
import type { Repo } from '../types.ts'

/** One entry of a tree object. */
export interface TreeItem {
  /** The bytes of the name, one character each (latin1), because a name may be in any encoding. */
  readonly name: string
  /** Six octal digits. */
  readonly mode: string
  readonly id: string
}

/** A tree object in memory. */
export class Tree {
  readonly items: readonly TreeItem[]
  #byName: Map<string, TreeItem> | undefined

  constructor(items: readonly TreeItem[]) {
    this.items = items
  }

  /** The item with a name, which is ordinary text. */
  find(name: string): TreeItem | undefined {
    return this.findBytes(toBytes(name))
  }

  /** The item with a name, which has one character for each byte. */
  findBytes(name: string): TreeItem | undefined {
    this.#byName ??= new Map(this.items.map((item) => [item.name, item]))
    return this.#byName.get(name)
  }
}

/** Converts text to the bytes of a TreeItem's name. */
export function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** The object type of an entry with this mode. */
export function typeOfMode(mode: string): 'tree' | 'blob' | 'commit' {
  if (mode === '040000') return 'tree'
  return mode === '160000' ? 'commit' : 'blob'
}

/** The id of a commit's root tree, or null when there is no such commit. */
export async function rootTree(repo: Repo, commit: string): Promise<string | null> {
  if (!isObjectId(commit)) return null
  const cached = repo.git.cache.get<{ id: string }>(repo, 'root', commit)
  if (cached !== undefined) return cached.id
  const tree = await repo.git.catFiles.info(repo, `${commit}^{tree}`)
  if (tree === null) return null
  return cacheRoot(repo, commit, tree.oid)
}

/** A tree object by its id, or null when there is none. */
export async function readTree(repo: Repo, id: string): Promise<Tree | null> {
  const cached = repo.git.cache.get<Tree>(repo, 'tree', id)
  if (cached !== undefined) return cached
  const object = isObjectId(id) ? await repo.git.catFiles.contents(repo, id) : null
  if (object === null || object.type !== 'tree') return null
  return cacheTree(repo, id, new Tree(await parseTree(object.content)))
}

/** Caches new trees and the root trees of new commits, because the next commit starts from them. */
export async function cacheWritten(
  repo: Repo,
  objects: readonly { readonly id: string; readonly type: string; readonly content: Buffer }[],
): Promise<void> {
  for (const { id, type, content } of objects) {
    if (type === 'tree') cacheTree(repo, id, new Tree(await parseTree(content)))
    if (type === 'commit')
      cacheRoot(repo, id, content.toString('latin1', 'tree '.length, 'tree '.length + 40))
  }
}

function cacheTree(repo: Repo, id: string, tree: Tree): Tree {
  return repo.git.cache.set(repo, 'tree', id, { content: tree, bytes: 300 + 200 * tree.items.length })
}

function cacheRoot(repo: Repo, commit: string, tree: string): string {
  return repo.git.cache.set(repo, 'root', commit, { content: { id: tree }, bytes: 250 }).id
}

/** The number of items that are parsed before other work runs. */
const ITEMS_PER_SLICE = 8192
const SPACE = 32
/** The number of bytes of a SHA-1 id. */
const ID_BYTES = 20

/** The modes that git writes. Sharing these strings saves a tenth of the memory of cached trees. */
const MODES = new Map(['100644', '100755', '120000', '160000', '040000'].map((mode) => [mode, mode]))

function modeOf(digits: string): string {
  const mode = digits.padStart(6, '0')
  return MODES.get(mode) ?? mode
}

async function parseTree(content: Buffer): Promise<TreeItem[]> {
  const items: TreeItem[] = []
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(SPACE, at)
    const nul = content.indexOf(0, space)
    items.push({
      mode: modeOf(content.toString('latin1', at, space)),
      name: content.toString('latin1', space + 1, nul),
      id: content.toString('hex', nul + 1, nul + 1 + ID_BYTES),
    })
    at = nul + 1 + ID_BYTES
    // A folder of a hundred thousand files must not block the event loop.
    if (items.length % ITEMS_PER_SLICE === 0) await setImmediate()
  }
  return items
}
