import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { deflate, deflateSync } from 'node:zlib'
import { createSynced } from '../../lib/files/durable-file.ts'
import { git } from '../args.ts'
import type { NewObject } from '../read/objects.ts'
import type { Repo } from '../types.ts'

/** The maximum size of an object in bytes. Larger objects are passed to git, which streams them. */
const MAX_BYTES = 4 * 1024 * 1024
/** The maximum number of references to other objects. For more references, git is faster. */
const MAX_LINKS = 300
/** The maximum size in bytes for compression on the main thread, which must not block for long. */
const MAX_SYNC_BYTES = 64 * 1024
/**
 * The time in milliseconds for which a new object certainly exists. Git removes unreachable objects only after two
 * weeks.
 */
const NEW_MS = 60_000
/** The compression level, the same as git's for loose objects. Speed matters more than size, because they are packed later. */
const LEVEL = { level: 1 }

const IDENTITY = /[^<>\n]+ <[^<>\n]*> (?:0|[1-9]\d*) [+-]\d{4}/.source
const COMMIT = new RegExp(
  `^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)author ${IDENTITY}\ncommitter ${IDENTITY}\n\n`,
)
/** Names that no file system confuses with `.git`, `.gitmodules` or another file that git reads. */
const PLAIN_NAME = /^(?!\.git)[\w+@=,#()[\]{} !$&.-]*[\w+@=,#()[\]{}!$&-]$/i
const KNOWN_NAMES = new Set(['.gitignore', '.gitkeep', '.gitlab', '.gitlab-ci.yml', '.github', '.gitea'])
/** The names of files that git reads. It checks their content. */
export const CHECKED_NAMES = ['.gitattributes', '.gitmodules'] as const
const MODES = new Set(['100644', '100755', '40000'])
const LINK_MODES = new Set(['120000', '160000'])

/**
 * Writes a few small objects as loose files, in the same way as git: temporary file, fsync, rename. Returns false if git
 * has to write them: there are many, some are large or need git's own checks, or a file could not be written, so that git
 * reports the reason. When it returns true, the objects are on disk, and all objects that they refer to exist.
 *
 * @param checked entries of the base tree with `CHECKED_NAMES`, as `name id`; git has checked them before
 */
export async function writeLoose(
  repo: Repo,
  objects: readonly NewObject[],
  checked: ReadonlySet<string>,
): Promise<boolean> {
  const newIds = new Set(objects.map(({ id }) => id))
  if (!objects.every((object) => isSimple(object, checked))) return false
  if (!(await haveLinks(repo, objects, newIds))) return false
  const leave = await repo.git.traffic.enter(repo, git`unpack-objects`)
  try {
    const results = await Promise.allSettled(objects.map((object) => writeObject(repo.gitDir, object)))
    if (!results.every(({ status }) => status === 'fulfilled')) return false
    for (const { id, type } of objects)
      repo.git.cache.set(repo, 'written', id, { content: { type, at: performance.now() }, bytes: 250 })
    return true
  } finally {
    leave()
  }
}

/** The type of an object that `writeLoose` has written recently; undefined for others. */
export function justWritten(repo: Repo, id: string): NewObject['type'] | undefined {
  const cached = repo.git.cache.get<{ type: NewObject['type']; at: number }>(repo, 'written', id)
  return cached && performance.now() - cached.at < NEW_MS ? cached.type : undefined
}

function isSimple({ type, content }: NewObject, checked: ReadonlySet<string>): boolean {
  if (content.length > MAX_BYTES) return false
  if (type === 'tree') return entriesOf(content).every((entry) => isSimpleEntry(entry, checked))
  return type === 'blob' || COMMIT.test(content.toString('utf8'))
}

function isSimpleEntry({ mode, name, id }: Entry, checked: ReadonlySet<string>): boolean {
  if (LINK_MODES.has(mode)) return PLAIN_NAME.test(name) && !name.startsWith('.')
  if (!MODES.has(mode)) return false
  return PLAIN_NAME.test(name) || KNOWN_NAMES.has(name) || checked.has(`${name} ${id}`)
}

/** True if all objects that the new objects refer to exist. Git requires that too. */
async function haveLinks(
  repo: Repo,
  objects: readonly NewObject[],
  newIds: ReadonlySet<string>,
): Promise<boolean> {
  const links = new Map(objects.flatMap(linksOf).filter(([id]) => !newIds.has(id)))
  if (links.size > MAX_LINKS) return false
  const types = Array.from(links.values())
  const found = await repo.git.catFiles.infos(repo, Array.from(links.keys()))
  return found.every((object, index) => object?.type === types[index])
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

async function writeObject(gitDir: string, { id, type, content }: NewObject): Promise<void> {
  const folder = path.join(gitDir, 'objects', id.slice(0, 2))
  const file = path.join(folder, id.slice(2))
  if (freshen(file)) return
  const bytes = await compress(Buffer.concat([Buffer.from(`${type} ${content.length}\0`, 'latin1'), content]))
  // Git uses such names too, and so the sweep after a crash and `git gc` remove leftovers.
  const temporary = path.join(folder, `tmp_obj_${randomBytes(6).toString('hex')}`)
  try {
    await createIn(folder, temporary, bytes)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Sets the time of an existing object, so that housekeeping keeps it, as git does. Returns false if it does not exist. */
function freshen(file: string): boolean {
  const now = new Date()
  try {
    utimesSync(file, now, now)
    return true
  } catch {
    return false
  }
}

async function compress(bytes: Buffer): Promise<Buffer> {
  return bytes.length <= MAX_SYNC_BYTES ? deflateSync(bytes, LEVEL) : promisify(deflate)(bytes, LEVEL)
}

/** Creates a file, and its folder if packing has removed it. */
async function createIn(folder: string, file: string, bytes: Buffer): Promise<void> {
  const create = () => createSynced(file, bytes, 0o444)
  await create().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    mkdirSync(folder, { recursive: true })
    return create()
  })
}
