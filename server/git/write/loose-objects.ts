import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { deflate, deflateSync } from 'node:zlib'
import { createSynced } from '../../lib/files/durable-file.ts'
import { git } from '../args.ts'
import type { NewObject } from '../read/objects.ts'
import type { Repo } from '../types.ts'

/** Larger objects go to git, which streams them. */
const MAX_BYTES = 4 * 1024 * 1024
/** For more references git is faster. */
const MAX_LINKS = 300
/** Compressing larger content would hold up the main thread. */
const MAX_BYTES_AT_ONCE = 64 * 1024
/**
 * The time in milliseconds in which no other program can have removed a new object. Git keeps unreachable ones for two
 * weeks.
 */
const NEW_MS = 60_000
/** Like git for loose objects: speed before size. Housekeeping packs them anew. */
const LEVEL = { level: 1 }

const IDENTITY = /[^<>\n]+ <[^<>\n]*> (?:0|[1-9]\d*) [+-]\d{4}/.source
const COMMIT = new RegExp(
  `^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)author ${IDENTITY}\ncommitter ${IDENTITY}\n\n`,
)
/** Names that no file system takes for `.git`, `.gitmodules` or another name that git reads. */
const PLAIN_NAME = /^(?!\.git)[\w+@=,#()[\]{} !$&.-]*[\w+@=,#()[\]{}!$&-]$/i
const KNOWN_NAMES = new Set(['.gitignore', '.gitkeep', '.gitlab', '.gitlab-ci.yml', '.github', '.gitea'])
/** Git reads these files and checks their content. */
export const CHECKED_NAMES = ['.gitattributes', '.gitmodules'] as const
const MODES = new Set(['100644', '100755', '40000'])
const LINK_MODES = new Set(['120000', '160000'])

/**
 * Writes a few small objects as loose files, as git does: a temporary file, fsync, rename. Returns false if git has
 * to do it, because the objects are many, large or need git's own checks, or because a file could not be written: git
 * then reports why. When it returns true, the objects are on disk, and everything that they refer to exists.
 *
 * @param checked entries of the base tree with `CHECKED_NAMES`, as `name id`: git checked them when they were written
 */
export async function writeLoose(
  repo: Repo,
  objects: readonly NewObject[],
  checked: ReadonlySet<string>,
): Promise<boolean> {
  const newIds = new Set(objects.map(({ id }) => id))
  if (!objects.every((object) => isPlain(object, checked))) return false
  if (!(await isWhole(repo, objects, newIds))) return false
  const leave = await repo.git.traffic.enter(repo, git`unpack-objects`)
  try {
    const results = await Promise.allSettled(objects.map((object) => writeOne(repo.gitDir, object)))
    if (!results.every(({ status }) => status === 'fulfilled')) return false
    for (const { id, type } of objects)
      repo.git.cache.set(repo, 'written', id, { content: { type, at: performance.now() }, bytes: 250 })
    return true
  } finally {
    leave()
  }
}

/** The type of an object that `writeLoose` wrote a moment ago. */
export function justWritten(repo: Repo, id: string): NewObject['type'] | undefined {
  const cached = repo.git.cache.get<{ type: NewObject['type']; at: number }>(repo, 'written', id)
  return cached && performance.now() - cached.at < NEW_MS ? cached.type : undefined
}

function isPlain({ type, content }: NewObject, checked: ReadonlySet<string>): boolean {
  if (content.length > MAX_BYTES) return false
  if (type === 'tree') return entriesOf(content).every((entry) => isPlainEntry(entry, checked))
  return type === 'blob' || COMMIT.test(content.toString('utf8'))
}

function isPlainEntry({ mode, name, id }: Entry, checked: ReadonlySet<string>): boolean {
  if (LINK_MODES.has(mode)) return PLAIN_NAME.test(name) && !name.startsWith('.')
  if (!MODES.has(mode)) return false
  return PLAIN_NAME.test(name) || KNOWN_NAMES.has(name) || checked.has(`${name} ${id}`)
}

/** Everything that the new objects refer to must exist, as git requires. */
async function isWhole(
  repo: Repo,
  objects: readonly NewObject[],
  newIds: ReadonlySet<string>,
): Promise<boolean> {
  const wanted = new Map(objects.flatMap(linksOf).filter(([id]) => !newIds.has(id)))
  if (wanted.size > MAX_LINKS) return false
  const exists = await Promise.all(
    Array.from(wanted, async ([id, type]) => (await repo.git.catFiles.info(repo, id))?.type === type),
  )
  return exists.every(Boolean)
}

/** The objects that an object refers to, with their type. The commit of a submodule is in another repository. */
function linksOf({ type, content }: NewObject): [id: string, type: string][] {
  if (type === 'tree')
    return entriesOf(content).flatMap(({ mode, id }) =>
      mode === '160000' ? [] : [[id, mode === '40000' ? 'tree' : 'blob'] as [string, string]],
    )
  if (type === 'blob') return []
  const [, tree = '', parents = ''] = COMMIT.exec(content.toString('utf8')) ?? []
  const lines = parents.split('\n').filter((line) => line !== '')
  return [[tree, 'tree'], ...lines.map((line): [string, string] => [line.slice('parent '.length), 'commit'])]
}

interface Entry {
  readonly mode: string
  /** The bytes of the name, one character each. */
  readonly name: string
  readonly id: string
}

function entriesOf(tree: Buffer): Entry[] {
  const entries: Entry[] = []
  for (let at = 0; at < tree.length;) {
    const end = tree.indexOf(0, at)
    const text = tree.toString('latin1', at, end)
    const space = text.indexOf(' ')
    const id = tree.toString('hex', end + 1, end + 21)
    entries.push({ mode: text.slice(0, space), name: text.slice(space + 1), id })
    at = end + 21
  }
  return entries
}

async function writeOne(gitDir: string, { id, type, content }: NewObject): Promise<void> {
  const folder = path.join(gitDir, 'objects', id.slice(0, 2))
  const file = path.join(folder, id.slice(2))
  if (freshen(file)) return
  const bytes = await compressed(
    Buffer.concat([Buffer.from(`${type} ${content.length}\0`, 'latin1'), content]),
  )
  // The name that git gives such files: the sweep after a crash and `git gc` remove them.
  const draft = path.join(folder, `tmp_obj_${randomBytes(6).toString('hex')}`)
  try {
    await createIn(folder, draft, bytes)
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Git does the same with an object that exists, so that housekeeping keeps it. Returns false if it does not exist. */
function freshen(file: string): boolean {
  const now = new Date()
  try {
    utimesSync(file, now, now)
    return true
  } catch {
    return false
  }
}

async function compressed(bytes: Buffer): Promise<Buffer> {
  return bytes.length <= MAX_BYTES_AT_ONCE ? deflateSync(bytes, LEVEL) : promisify(deflate)(bytes, LEVEL)
}

/** Creates a file; packing may have removed the folder. */
async function createIn(folder: string, file: string, bytes: Buffer): Promise<void> {
  const create = () => createSynced(file, bytes, 0o444)
  await create().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    mkdirSync(folder, { recursive: true })
    return create()
  })
}
