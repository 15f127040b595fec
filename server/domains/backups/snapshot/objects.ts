import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { isEntryName } from '../archive/format.ts'
import type { Links } from './links.ts'

/** Parts of a repository that are read otherwise, made anew, or nobody's business elsewhere. */
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
/** Passes over the packs until nothing new is found; each follows a packing that ended in between. */
const MAX_PASSES = 20

/**
 * Links the objects of a repository, which are only ever added to, though they may move from files of their own into packs and
 * from pack to pack meanwhile: loose ones first, then packs until nothing is new.
 */
export function linkObjects(links: Links, gitDir: string, name: string): void {
  linkOthers(links, gitDir, name)
  const objects = join(gitDir, 'objects')
  // Before the objects: a graph of commits may only name what is there.
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
    else if (entry.isFile()) addNamed(links, `${name}/${entry.name}`, join(gitDir, entry.name))
  }
}

function linkInfo(links: Links, folder: string, name: string): void {
  for (const entry of entriesIn(folder)) {
    if (PASSING.test(entry.name)) continue
    if (entry.isDirectory()) linkInfo(links, join(folder, entry.name), `${name}/${entry.name}`)
    else if (entry.isFile()) addNamed(links, `${name}/${entry.name}`, join(folder, entry.name))
  }
}

function addNamed(links: Links, name: string, file: string): void {
  if (isEntryName(name)) links.add(name, file)
}

/** A pack is taken whole or not at all: an index without its pack would be an error to git. */
function linkPacks(links: Links, folder: string, name: string): void {
  const taken = new Set<string>()
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const names = namesIn(folder)
    const all = new Set(names)
    const packs = names.filter((one) => one.endsWith('.idx')).map((one) => one.slice(0, -'.idx'.length))
    const fresh = packs.filter((pack) => !taken.has(pack) && all.has(`${pack}.pack`))
    if (fresh.length === 0 && pass > 0) return
    for (const pack of fresh) {
      if (!links.add(`${name}/${pack}.pack`, join(folder, `${pack}.pack`))) continue
      taken.add(pack)
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
