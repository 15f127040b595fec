import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { inRepository, projectById, type Project } from '../../projects/index.ts'
import { loadCatalog, languageOf, type Catalog } from './catalog.ts'
import * as store from '../store.ts'
import { readBlob } from '../../../git/read/blob.ts'
import { findEntry, filesWithSizes } from '../../../git/read/tree.ts'
import type { Repo } from '../../../git/types.ts'
import { matches, type PathPattern } from '../../../lib/text/path-pattern.ts'

/** Returns the languages of the default branch. */
export function languagesOf(ctx: Ctx, project: Project): Promise<Shares> {
  if (project.empty_repo) return Promise.resolve([])
  return inRepository(ctx, project, async (repo) => {
    const tip = await branchTip(repo, project.default_branch)
    const catalog = () => ctx.db.instance('repository.languages', loadCatalog)
    return tip === null ? [] : detect(repo, tip, catalog)
  })
}

/** Updates the stored languages of a project, by which lists of projects can be filtered. */
export async function refreshLanguages(ctx: Ctx, projectId: number): Promise<void> {
  const project = projectById(ctx.db, projectId)
  if (!project || project.repository_state !== 'ready') return
  const shares = await languagesOf(ctx, project)
  if (JSON.stringify(shares) === JSON.stringify(store.languagesOfProject(ctx.db, projectId))) return
  tx(ctx.db, () => {
    // The project may have been deleted in the meantime.
    if (projectById(ctx.db, projectId)) store.replaceLanguages(ctx.db, projectId, shares)
  })
}

/** The language attributes of `.gitattributes`. */
interface FileAttributes {
  readonly language?: string
  /** True if the file does not count; false if it counts even in an excluded folder. */
  readonly ignored?: boolean
}

interface AttributeLine {
  readonly pattern: PathPattern
  readonly attributes: FileAttributes
}

/** The limits for `.gitattributes`. They are needed because every file is compared with every line. */
const MAX_LINES = 2000
const MAX_RULES = 200
const MAX_PATTERN = 128

/** Parses the lines with language attributes. Returns a function for the attributes of a file; later lines take precedence. */
export function readAttributes(text: string): (path: string) => FileAttributes {
  const lines = text.split('\n').slice(0, MAX_LINES).flatMap(lineOf).slice(0, MAX_RULES)
  if (lines.length === 0) return () => ({})
  return (path) => {
    let result: FileAttributes = {}
    for (const { pattern, attributes } of lines)
      if (matches(pattern, path)) result = { ...result, ...attributes }
    return result
  }
}

function lineOf(line: string): AttributeLine[] {
  const [glob, ...words] = line.trim().split(/\s+/)
  if (!glob || glob.startsWith('#') || glob.length > MAX_PATTERN) return []
  const attributes = Object.assign({}, ...words.map(attributeOf)) as FileAttributes
  return Object.keys(attributes).length === 0 ? [] : [{ pattern: patternOf(glob), attributes }]
}

function attributeOf(word: string): FileAttributes {
  const [, minus, name, value] = /^([-!]?)linguist-(\w+)(?:=(.*))?$/.exec(word) ?? []
  const isSet = minus === '' && value !== 'false'
  if (name === 'language' && value) return { language: value }
  if (name === 'vendored' || name === 'generated' || name === 'documentation') return { ignored: isSet }
  return name === 'detectable' ? { ignored: !isSet } : {}
}

/**
 * Converts a pattern of git. `*` matches within a folder, `**` across folders. A pattern without a slash matches the file
 * name in any folder.
 */
function patternOf(glob: string): PathPattern {
  const isAnchored = glob.slice(0, -1).includes('/')
  // A trailing `**` matches all files in the folder, at any depth.
  const full = glob.endsWith('/') ? `${glob}**/*` : glob.endsWith('/**') ? `${glob}/*` : glob
  const segments = full.split('/').filter((segment) => segment !== '')
  return { segments: isAnchored ? segments : ['**', ...segments] }
}

/** Folders of vendored code, of documents and of examples. */
const FOLDERS =
  /(?:^|\/)(?:node_modules|bower_components|vendor(?:s|ed)?|third[-_]?party|3rd[-_]?party|extern(?:al)?|deps|dist|Godeps|Carthage|Pods|\.yarn|\.vscode|\.venv|venv|site-packages|[Dd]ocs?|[Dd]ocumentation|[Ee]xamples?|[Tt]ests?\/fixtures|[Ss]pecs?\/fixtures|__generated__|generated)\//

/** Generated and vendored files. */
const FILES =
  /(?:^|\/)(?:gradlew(?:\.bat)?|mvnw(?:\.cmd)?|configure|jquery(?:[-.][\w.-]*)?\.js|bootstrap[\w.-]*\.(?:js|css|less|scss)|[\w.-]+[.-]min\.(?:js|css)|[\w.-]+\.(?:map|lock)|[\w.-]+\.pb\.(?:go|cc|h)|[\w.-]+_pb2(?:_grpc)?\.py|[\w.-]+\.designer\.(?:cs|vb)|[\w.-]+\.g(?:en)?\.(?:ts|dart|go|cs)|(?:CHANGELOG|CHANGES|CONTRIBUTING|COPYING|INSTALL|LICEN[SC]E|README)(?:\.[\w.-]+)?)$/i

/** Returns true for files that do not count for a project's languages. */
export function isIgnored(path: string): boolean {
  return FOLDERS.test(path) || FILES.test(path)
}

/** The languages of a commit with their shares in percent (two decimals), the largest first. */
export type Shares = readonly (readonly [name: string, percent: number])[]

const MAX_ATTRIBUTES = 256 * 1024

/**
 * Computes the languages of a commit from the names and sizes of its files. The result is cached for each tree.
 * `catalog` is called only without a cached result.
 */
async function detect(repo: Repo, commit: string, catalog: () => Promise<Catalog>): Promise<Shares> {
  const root = await findEntry(repo, commit, '')
  if (root === null) return []
  const cached = repo.git.cache.get<Shares>(repo, 'languages', root.id)
  if (cached !== undefined) return cached
  const shares = sharesOf(await count(repo, commit, root.id, await catalog()))
  return repo.git.cache.set(repo, 'languages', root.id, { content: shares, bytes: 300 + 60 * shares.length })
}

async function count(
  repo: Repo,
  commit: string,
  tree: string,
  catalog: Catalog,
): Promise<Map<string, number>> {
  const attributesOf = readAttributes(await textOf(repo, commit, '.gitattributes'))
  const bytes = new Map<string, number>()
  let headers = 0
  for await (const batch of filesWithSizes(repo, tree)) {
    for (const { path, size } of batch) {
      const { language, ignored = isIgnored(path) } = attributesOf(path)
      const name = ignored ? undefined : languageOfFile(catalog, path, language)
      if (name === undefined) continue
      if (language === undefined && path.endsWith('.h')) headers += size
      else bytes.set(name, (bytes.get(name) ?? 0) + size)
    }
  }
  if (headers > 0) addHeaders(bytes, headers)
  return bytes
}

function languageOfFile(catalog: Catalog, path: string, language: string | undefined): string | undefined {
  return language === undefined ? languageOf(catalog, path) : catalog.byWord.get(language.toLowerCase())
}

/** Adds the size of header files to the language of the C family with the most other code. */
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
