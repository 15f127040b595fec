import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { isEntryName } from '../archive/format.ts'
import type { Links } from './links.ts'

/** Parts of a repository that are read in another way, created again, or not needed on another machine. */
const ELSEWHERE = new Set([
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
const PASSING = /\.lock$|^tmp_|^(FETCH_HEAD|ORIG_HEAD|gc\.(pid|log))$/
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
  linkOthers(links, gitDir, name)
  const objects = join(gitDir, 'objects')
  // Before the objects: a commit graph may only name objects that exist.
  linkInfo(links, join(objects, 'info'), `${name}/objects/info`)
  for (const fan of namesIn(objects)) {
    if (!/^[0-9a-f]{2}$/.test(fan)) continue
    for (const rest of namesIn(join(objects, fan)))
      if (/^[0-9a-f]{38,62}$/.test(rest))
        links.add(`${name}/objects/${fan}/${rest}`, join(objects, fan, rest))
  }
  linkPacks(links, join(objects, 'pack'), `${name}/objects/pack`)
}

function linkOthers(links: Links, gitDir: string, name: string): void {
  for (const entry of entriesIn(gitDir)) {
    if (ELSEWHERE.has(entry.name) || PASSING.test(entry.name)) continue
    if (entry.isDirectory()) linkInfo(links, join(gitDir, entry.name), `${name}/${entry.name}`)
    else if (entry.isFile()) addByName(links, `${name}/${entry.name}`, join(gitDir, entry.name))
  }
}

function linkInfo(links: Links, folder: string, name: string): void {
  for (const entry of entriesIn(folder)) {
    if (PASSING.test(entry.name)) continue
    if (entry.isDirectory()) linkInfo(links, join(folder, entry.name), `${name}/${entry.name}`)
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
    const all = new Set(names)
    const packs = names
      .filter((entry) => entry.endsWith('.idx'))
      .map((entry) => entry.slice(0, -'.idx'.length))
    const fresh = packs.filter((pack) => !linkedPacks.has(pack) && all.has(`${pack}.pack`))
    if (fresh.length === 0 && pass > 0) return
    for (const pack of fresh) {
      if (!links.add(`${name}/${pack}.pack`, join(folder, `${pack}.pack`))) continue
      linkedPacks.add(pack)
      links.add(`${name}/${pack}.idx`, join(folder, `${pack}.idx`))
      for (const more of ['.rev', '.bitmap', '.keep', '.mtimes'])
        if (all.has(pack + more)) links.add(`${name}/${pack}${more}`, join(folder, pack + more))
    }
  }
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

function namesIn(folder: string): string[] {
  return entriesIn(folder).map(({ name }) => name)
}

/** The changing parts of a repository at one moment; objects are only added. */
export interface RefsOfMoment {
  readonly head: string
  readonly config: string
  /** All refs in the format of `packed-refs`. */
  readonly packed: string
  /** Symbolic refs, which cannot be packed: path and content. */
  readonly loose: readonly (readonly [path: string, content: string])[]
}

/**
 * Reads all refs of a repository. The caller prevents moves of refs, but refs may be packed at any time. Packing writes
 * the packed refs before it deletes loose ones, so the loose ones are read first. Undefined when the repository is
 * deleted.
 */
export function readRefs(gitDir: string): RefsOfMoment | undefined {
  const head = textOf(join(gitDir, 'HEAD'))
  if (head === undefined) return undefined
  const loose = new Map<string, string>()
  readLoose(gitDir, 'refs', loose)
  const packed = textOf(join(gitDir, 'packed-refs')) ?? ''
  const config = textOf(join(gitDir, 'config')) ?? ''
  const plain = [...loose].filter(([, content]) => /^[0-9a-f]{40,64}\n$/.test(content))
  const symbolic = [...loose].filter(([, content]) => content.startsWith('ref: '))
  return {
    head,
    config,
    packed: plain.length === 0 ? packed : merged(packed, new Map(plain)),
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
function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}
function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
}
/** Loose refs take precedence over packed ones with the same name. The peeled line of a packed tag follows the tag. */
function merged(packed: string, loose: ReadonlyMap<string, string>): string {
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
