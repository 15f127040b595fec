import { git, option, sha } from '../args.ts'
import { GitError } from '../errors.ts'
import { checkFolder } from '../names.ts'
import { nulBatches } from '../parse.ts'
import { open } from '../process/run.ts'
import { readTree, rootTree, typeOfMode } from '../write/tree-object.ts'
import type { TreeItem } from '../write/tree-object.ts'
import type { Repo } from '../types.ts'

export interface TreeEntry {
  readonly id: string
  readonly name: string
  /** The path from the root of the repository. */
  readonly path: string
  /** A submodule is a `commit`. */
  readonly type: 'tree' | 'blob' | 'commit'
  /** Six octal digits. */
  readonly mode: string
}

/** `git`: git's order; `trees_first`: folders first. */
export type TreeOrder = 'git' | 'trees_first'

export interface TreePage {
  /** The folder to list; default the root. */
  readonly path?: string
  readonly recursive?: boolean
  readonly order?: TreeOrder
  /** The number of entries to skip. */
  readonly skip?: number
  /** The maximum number of entries; default all. */
  readonly limit?: number
  readonly signal?: AbortSignal
}

export interface TreeListing {
  readonly entries: readonly TreeEntry[]
  /** Number of entries without skip and limit. */
  readonly total: number
}

/** The maximum number of entries of a cached listing. */
const MAX_CACHED_ENTRIES = 20_000

/** The entry at a path of a commit's tree, or null; the empty path is the root tree itself. */
export async function findEntry(repo: Repo, commit: string, file: string): Promise<TreeEntry | null> {
  const root = await rootTree(repo, commit)
  if (root === null) return null
  let entry: TreeEntry = { id: root, name: '', path: '', type: 'tree', mode: '040000' }
  for (const name of file === '' ? [] : checkFolder(file).split('/')) {
    if (entry.type !== 'tree') return null
    const item = (await readTree(repo, entry.id))?.find(name)
    if (item === undefined) return null
    entry = toEntry(item, entry.path)
  }
  return entry
}

/** The entries of a folder of a commit's tree, or null when there is no such folder. */
export async function listTree(repo: Repo, commit: string, page: TreePage = {}): Promise<TreeListing | null> {
  const folder = await findEntry(repo, commit, checkFolder(page.path ?? ''))
  if (folder === null || folder.type !== 'tree') return null
  if (page.recursive) return listRecursively(repo, folder, page)
  const items = (await readTree(repo, folder.id))?.items ?? []
  const sorted = page.order === 'trees_first' ? treesFirst(items) : items
  const window = sorted.slice(page.skip ?? 0, windowEnd(page))
  return { entries: window.map((item) => toEntry(item, folder.path)), total: items.length }
}

async function listRecursively(repo: Repo, folder: TreeEntry, page: TreePage): Promise<TreeListing> {
  const order = page.order ?? 'git'
  const key = `${folder.id} ${order} ${folder.path}`
  const cached = repo.git.cache.get<readonly TreeEntry[]>(repo, 'tree-walk', key)
  if (cached !== undefined)
    return { entries: cached.slice(page.skip ?? 0, windowEnd(page)), total: cached.length }
  const cacheable: TreeEntry[] = []
  const window: TreeEntry[] = []
  let total = 0
  for (const kinds of order === 'git' ? (['all'] as const) : (['trees', 'leaves'] as const)) {
    for await (const batch of walk(repo, folder, kinds, page.signal)) {
      for (const entry of batch) {
        if (total < MAX_CACHED_ENTRIES) cacheable.push(entry)
        if (total >= (page.skip ?? 0) && total < windowEnd(page)) window.push(entry)
        total += 1
      }
    }
  }
  if (total === cacheable.length)
    repo.git.cache.set(repo, 'tree-walk', key, { content: cacheable, bytes: 300 + 280 * total })
  return { entries: window, total }
}

async function* walk(
  repo: Repo,
  folder: TreeEntry,
  kinds: 'all' | 'trees' | 'leaves',
  signal?: AbortSignal,
): AsyncGenerator<TreeEntry[]> {
  const flag = kinds === 'all' ? option('-t') : kinds === 'trees' ? option('-d') : null
  const args = git`ls-tree -r -z --full-tree ${flag} ${sha(folder.id)}`
  const stream = await open(repo, 'tree.walk', args, { signal })
  for await (const batch of nulBatches(stream.stdout)) {
    const entries = batch.map((record) => parseLine(record, folder.path))
    // With `-d`, git lists submodules too.
    yield kinds === 'trees' ? entries.filter((entry) => entry.type === 'tree') : entries
  }
  await stream.done
}

function parseLine(record: Buffer, folder: string): TreeEntry {
  const [, mode, type, id, file] = /^(\d{6}) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(record.toString('utf8')) ?? []
  if (mode === undefined || id === undefined || file === undefined) {
    throw new GitError({ operation: 'tree.walk', args: [], reason: 'unexpected_output' })
  }
  const full = folder === '' ? file : `${folder}/${file}`
  const name = file.slice(file.lastIndexOf('/') + 1)
  return { id, name, path: full, type: type as TreeEntry['type'], mode }
}

function treesFirst(items: readonly TreeItem[]): TreeItem[] {
  const isTree = (item: TreeItem) => typeOfMode(item.mode) === 'tree'
  return [...items.filter(isTree), ...items.filter((item) => !isTree(item))]
}

function windowEnd(page: TreePage): number {
  return (page.skip ?? 0) + (page.limit ?? Number.POSITIVE_INFINITY)
}

function toEntry(item: TreeItem, folder: string): TreeEntry {
  const name = Buffer.from(item.name, 'latin1').toString('utf8')
  const type = typeOfMode(item.mode)
  return { id: item.id, name, path: folder === '' ? name : `${folder}/${name}`, type, mode: item.mode }
}

/** A file of a commit with its size in bytes. */
interface SizedFile {
  readonly id: string
  readonly path: string
  readonly size: number
}

const LINE = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t(.*)$/s

/** Yields all regular files of a commit or tree in batches, without symbolic links and submodules. */
export async function* filesWithSizes(
  repo: Repo,
  tree: string,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<SizedFile[]> {
  const stream = await open(repo, 'tree.sizes', git`ls-tree -r -l -z --full-tree ${sha(tree)}`, options)
  for await (const batch of nulBatches(stream.stdout)) {
    yield batch.flatMap((record) => {
      const [, id, size, path] = LINE.exec(record.toString('utf8')) ?? []
      return id === undefined ? [] : [{ id, path: path!, size: Number(size) }]
    })
  }
  await stream.done
}
