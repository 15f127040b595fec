import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { isEntryName } from '../archive/format.ts'
import type { Links } from './links.ts'

/** Parts of a repository that `linkFolder` skips: they are captured in another way, created anew, or not needed. */
const SKIPPED_NAMES = new Set([
  'HEAD',
  'config',
  'packed-refs',
  'refs',
  'objects',
  'hooks',
  'logs',
  'worktrees',
  'branches',
])
const TEMPORARY_NAME = /\.lock$|^tmp_|^(FETCH_HEAD|ORIG_HEAD|gc\.(pid|log))$/
/**
 * The maximum number of passes over the packs until nothing new is found. A further pass is needed only if a packing
 * ended during the previous one.
 */
const MAX_PASSES = 20

/**
 * Links the objects of a repository. Objects are only added, but packing may move them at any time into a pack, or from
 * pack to pack. So loose objects are linked first, then packs until there is no new one.
 */
export function linkObjects(links: Links, gitDir: string, name: string): void {
  linkFolder(links, gitDir, name, SKIPPED_NAMES)
  const objects = join(gitDir, 'objects')
  // Linked before the objects, because a commit graph may only name objects that exist.
  linkFolder(links, join(objects, 'info'), `${name}/objects/info`)
  for (const folderName of namesIn(objects)) {
    if (!/^[0-9a-f]{2}$/.test(folderName)) continue
    for (const fileName of namesIn(join(objects, folderName)))
      if (/^[0-9a-f]{38,62}$/.test(fileName))
        links.add(`${name}/objects/${folderName}/${fileName}`, join(objects, folderName, fileName))
  }
  linkPacks(links, join(objects, 'pack'), `${name}/objects/pack`)
}

/** Links the files in a folder and its subfolders, except temporary ones and those in `skipped`. */
function linkFolder(links: Links, folder: string, name: string, skipped?: ReadonlySet<string>): void {
  for (const entry of entriesOf(folder)) {
    if (skipped?.has(entry.name) || TEMPORARY_NAME.test(entry.name)) continue
    if (entry.isDirectory()) linkFolder(links, join(folder, entry.name), `${name}/${entry.name}`)
    else if (entry.isFile()) addByName(links, `${name}/${entry.name}`, join(folder, entry.name))
  }
}

function addByName(links: Links, name: string, file: string): void {
  if (isEntryName(name)) links.add(name, file)
}

/** A pack is linked whole or not at all: an index without its pack would be an error to git. */
function linkPacks(links: Links, folder: string, name: string): void {
  const linkedPacks = new Set<string>()
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const names = namesIn(folder)
    const existing = new Set(names)
    const packs = names
      .filter((entry) => entry.endsWith('.idx'))
      .map((entry) => entry.slice(0, -'.idx'.length))
    const newPacks = packs.filter((pack) => !linkedPacks.has(pack) && existing.has(`${pack}.pack`))
    if (newPacks.length === 0 && pass > 0) return
    for (const pack of newPacks) {
      if (!links.add(`${name}/${pack}.pack`, join(folder, `${pack}.pack`))) continue
      linkedPacks.add(pack)
      links.add(`${name}/${pack}.idx`, join(folder, `${pack}.idx`))
      for (const suffix of ['.rev', '.bitmap', '.keep', '.mtimes'])
        if (existing.has(pack + suffix)) links.add(`${name}/${pack}${suffix}`, join(folder, pack + suffix))
    }
  }
}

function namesIn(folder: string): string[] {
  return entriesOf(folder).map(({ name }) => name)
}

/** The parts of a repository that change in place, at one moment. Objects are only added. */
export interface RefSnapshot {
  readonly head: string
  readonly config: string
  /** All refs in the format of `packed-refs`. */
  readonly packed: string
  /** Symbolic refs, which cannot be packed: path and content. */
  readonly loose: readonly (readonly [path: string, content: string])[]
}

/**
 * Reads all refs of a repository. The caller prevents moves of refs, but refs may be packed at any time. Packing writes
 * the packed refs before it deletes loose ones, so the loose ones are read first. Returns undefined if the
 * repository does not exist.
 */
export function readRefs(gitDir: string): RefSnapshot | undefined {
  const head = textOf(join(gitDir, 'HEAD'))
  if (head === undefined) return undefined
  const loose = new Map<string, string>()
  readLoose(gitDir, 'refs', loose)
  const packed = textOf(join(gitDir, 'packed-refs')) ?? ''
  const config = textOf(join(gitDir, 'config')) ?? ''
  const direct = [...loose].filter(([, content]) => /^[0-9a-f]{40,64}\n$/.test(content))
  const symbolic = [...loose].filter(([, content]) => content.startsWith('ref: '))
  return {
    head,
    config,
    packed: direct.length === 0 ? packed : mergeRefs(packed, new Map(direct)),
    loose: symbolic,
  }
}

function readLoose(gitDir: string, folder: string, refs: Map<string, string>): void {
  for (const entry of entriesOf(join(gitDir, folder))) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) readLoose(gitDir, path, refs)
    else if (!path.endsWith('.lock')) {
      const content = textOf(join(gitDir, path))
      if (content !== undefined) refs.set(path, content)
    }
  }
}

/** The entries of a folder; none if it does not exist. */
export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
}

/**
 * Merges loose refs into the content of `packed-refs`. Loose refs take precedence. The peeled line of a packed tag
 * follows the tag.
 */
function mergeRefs(packed: string, loose: ReadonlyMap<string, string>): string {
  const lines = new Map<string, string>()
  let last: string | undefined
  for (const line of packed.split('\n')) {
    if (line.startsWith('#') || line === '') continue
    if (line.startsWith('^')) {
      if (last !== undefined) lines.set(last, `${lines.get(last)}${line}\n`)
      continue
    }
    const name = line.slice(line.indexOf(' ') + 1)
    last = loose.has(name) ? undefined : name
    if (last !== undefined) lines.set(name, `${line}\n`)
  }
  for (const [name, content] of loose) lines.set(name, `${content.trim()} ${name}\n`)
  // Sorted by bytes, as git searches them.
  const names = [...lines.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return `# pack-refs with: sorted \n${names.map((name) => lines.get(name)).join('')}`
}
