import { readBlob } from '../../../git/read/blob.ts'
import { filesWithSizes } from '../../../git/read/file-sizes.ts'
import { findEntry } from '../../../git/read/tree.ts'
import type { Repo } from '../../../git/types.ts'
import { readAttributes } from './attributes.ts'
import { catalogue, languageOf, type Catalogue } from './catalogue.ts'
import { isPassedOver } from './skipped.ts'

/** Languages of a commit, the most used first; shares in percent with two decimals. */
export type Shares = readonly (readonly [name: string, percent: number])[]

const MAX_ATTRIBUTES = 256 * 1024

/** Works out the languages of a commit from the names and sizes of its files. Remembered for each state of the files. */
export async function detect(repo: Repo, commit: string): Promise<Shares> {
  const root = await findEntry(repo, commit, '')
  if (root === null) return []
  const known = repo.git.cache.get<Shares>(repo, 'languages', root.id)
  if (known !== undefined) return known
  const shares = sharesOf(await count(repo, commit, root.id))
  return repo.git.cache.set(repo, 'languages', root.id, { content: shares, bytes: 300 + 60 * shares.length })
}

async function count(repo: Repo, commit: string, tree: string): Promise<Map<string, number>> {
  const known = await catalogue()
  const attributesOf = readAttributes(await textOf(repo, commit, '.gitattributes'))
  const bytes = new Map<string, number>()
  let headers = 0
  for await (const batch of filesWithSizes(repo, tree)) {
    for (const { path, size } of batch) {
      const { language, ignored = isPassedOver(path) } = attributesOf(path)
      const name = ignored ? undefined : named(known, path, language)
      if (name === undefined) continue
      if (language === undefined && path.endsWith('.h')) headers += size
      else bytes.set(name, (bytes.get(name) ?? 0) + size)
    }
  }
  if (headers > 0) addHeaders(bytes, headers)
  return bytes
}

function named(known: Catalogue, path: string, language: string | undefined): string | undefined {
  return language === undefined ? languageOf(known, path) : known.byWord.get(language.toLowerCase())
}

/** Header files are of the language that the rest is written in. */
function addHeaders(bytes: Map<string, number>, size: number): void {
  const family = ['C', 'C++', 'Objective-C', 'Objective-C++']
  const main = family.toSorted((a, b) => (bytes.get(b) ?? 0) - (bytes.get(a) ?? 0))[0]!
  bytes.set(main, (bytes.get(main) ?? 0) + size)
}

async function textOf(repo: Repo, commit: string, path: string): Promise<string> {
  const entry = await findEntry(repo, commit, path)
  if (entry?.type !== 'blob') return ''
  const blob = await readBlob(repo, entry.id, { maxBytes: MAX_ATTRIBUTES }).catch(() => null)
  return blob?.content.toString('utf8') ?? ''
}

function sharesOf(bytes: ReadonlyMap<string, number>): Shares {
  const total = [...bytes.values()].reduce((sum, size) => sum + size, 0)
  if (total === 0) return []
  return [...bytes]
    .map(([name, size]) => [name, Math.round((size / total) * 10_000) / 100] as const)
    .filter(([, percent]) => percent > 0)
    .sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
}
