import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm, utimes } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { git } from '../args.ts'
import type { NewObject } from '../read/objects.ts'
import type { Repo } from '../types.ts'

/** Larger objects go to git, which streams them. */
const MAX_BYTES = 4 * 1024 * 1024
/** Like git for loose objects: speed before size. Housekeeping packs them anew. */
const LEVEL = { level: 1 }

const IDENTITY = /[^<>\n]+ <[^<>\n]*> (?:0|[1-9]\d*) [+-]\d{4}/.source
const COMMIT = new RegExp(
  `^tree ([0-9a-f]{40})\n((?:parent [0-9a-f]{40}\n)*)author ${IDENTITY}\ncommitter ${IDENTITY}\n\n`,
)
/** Names that no file system takes for `.git`, `.gitmodules` or another name that git reads. */
const PLAIN_NAME = /^(?!\.git)[\w+@=,#()[\]{} !$&.-]*[\w+@=,#()[\]{}!$&-]$/i
const KNOWN_NAMES = new Set(['.gitignore', '.gitkeep', '.gitlab', '.gitlab-ci.yml', '.github', '.gitea'])
/** Git reads these files; it has checked those that the repository has. */
const CHECKED_NAMES = new Set(['.gitattributes', '.gitmodules'])
const MODES = new Set(['100644', '100755', '40000'])
const LINK_MODES = new Set(['120000', '160000'])

/**
 * Writes a few small objects as loose files, as git does: a temporary file, fsync, rename. Returns false where git has
 * to do it, because the objects are many, large or need git's own checks, or because a file could not be written: git
 * then reports why. When it returns true, the objects are on disk.
 *
 * New trees may refer to new objects and to entries of trees that the repository has; the caller guarantees that.
 */
export async function writeLoose(repo: Repo, objects: readonly NewObject[]): Promise<boolean> {
  const newIds = new Set(objects.map(({ id }) => id))
  if (!objects.every((object) => isPlain(object, newIds))) return false
  if (!(await hasParents(repo, objects, newIds))) return false
  const leave = await repo.git.traffic.enter(repo, git`unpack-objects`)
  try {
    const results = await Promise.allSettled(objects.map((object) => writeOne(repo.gitDir, object)))
    return results.every(({ status }) => status === 'fulfilled')
  } finally {
    leave()
  }
}

function isPlain({ type, content }: NewObject, newIds: ReadonlySet<string>): boolean {
  if (content.length > MAX_BYTES) return false
  if (type === 'tree') return isPlainTree(content, newIds)
  return type === 'blob' || COMMIT.test(content.toString('utf8'))
}

function isPlainTree(content: Buffer, newIds: ReadonlySet<string>): boolean {
  for (let at = 0; at < content.length;) {
    const end = content.indexOf(0, at)
    if (end < 0) return false
    const entry = content.toString('latin1', at, end)
    const space = entry.indexOf(' ')
    const [mode, name] = [entry.slice(0, space), entry.slice(space + 1)]
    const isChecked = CHECKED_NAMES.has(name) && !newIds.has(content.toString('hex', end + 1, end + 21))
    if (!isPlainEntry(mode, name) && !(isChecked && MODES.has(mode))) return false
    at = end + 21
  }
  return true
}

function isPlainEntry(mode: string, name: string): boolean {
  if (LINK_MODES.has(mode)) return PLAIN_NAME.test(name) && !name.startsWith('.')
  return MODES.has(mode) && (PLAIN_NAME.test(name) || KNOWN_NAMES.has(name))
}

/** Git requires that the parents of a commit and its tree exist. */
async function hasParents(
  repo: Repo,
  objects: readonly NewObject[],
  newIds: ReadonlySet<string>,
): Promise<boolean> {
  const wanted: [id: string, type: string][] = []
  for (const { type, content } of objects) {
    if (type !== 'commit') continue
    const [, tree = '', parents = ''] = COMMIT.exec(content.toString('utf8')) ?? []
    wanted.push([tree, 'tree'])
    for (const line of parents.split('\n'))
      if (line !== '') wanted.push([line.slice('parent '.length), 'commit'])
  }
  const found = await Promise.all(
    wanted
      .filter(([id]) => !newIds.has(id))
      .map(async ([id, type]) => (await repo.git.catFiles.info(repo, id))?.type === type),
  )
  return found.every(Boolean)
}

async function writeOne(gitDir: string, { id, type, content }: NewObject): Promise<void> {
  const folder = path.join(gitDir, 'objects', id.slice(0, 2))
  const file = path.join(folder, id.slice(2))
  if (await freshen(file)) return
  const head = Buffer.from(`${type} ${content.length}\0`, 'latin1')
  const bytes = await promisify(deflate)(Buffer.concat([head, content]), LEVEL)
  await writeDurably(folder, file, bytes)
}

/** Git does the same with an object that exists, so that housekeeping keeps it. Returns false if it does not exist. */
async function freshen(file: string): Promise<boolean> {
  const now = new Date()
  return utimes(file, now, now).then(
    () => true,
    () => false,
  )
}

async function writeDurably(folder: string, file: string, bytes: Buffer): Promise<void> {
  // The name that git gives such files: the sweep after a crash and `git gc` remove them.
  const draft = path.join(folder, `tmp_obj_${randomBytes(6).toString('hex')}`)
  try {
    const handle = await openIn(folder, draft)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

const openIn = (folder: string, draft: string) =>
  open(draft, 'wx', 0o444).catch(async () => {
    await mkdir(folder).catch(() => undefined)
    return open(draft, 'wx', 0o444)
  })
