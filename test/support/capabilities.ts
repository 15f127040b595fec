import { layersByRole } from './house-rules.ts'
import type { Import, Source } from './imports.ts'
import { roleOf } from './roles.ts'

// The capabilities of a file, derived from its text and its imports. The rules check capabilities, not file names.

const domain = (path: string) => /^server\/domains\/([^/]+)\//.exec(path)?.[1]
const inServer = (path: string) => path.startsWith('server/')
const isGenerated = (path: string) => path.endsWith('.gen.ts')

/** The number of violations of a rule by file, domain or table, sorted by name. */
export type Findings = Readonly<Record<string, number>>

function counted(names: Iterable<string>): Findings {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

const isStore = (path: string) => roleOf(path) === 'store' || path.startsWith('server/db/')
const statements =
  /\bsql`|\.(?:selectFrom|insertInto|updateTable|deleteFrom|replaceInto)\(|[`'"]\s*(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|WITH\s+(?:RECURSIVE\s+)?\w+\s*(?:\([^)]*\))?\s+AS\s)/

/** Files that contain hand-written or built SQL and are not stores. */
export function sqlOutsideStores(sources: readonly Source[]): Findings {
  return counted(
    sources
      .filter(({ path }) => inServer(path) && !isStore(path))
      .filter(({ text }) => statements.test(text))
      .map(({ path }) => path),
  )
}

const writes =
  /\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|DELETE\s+FROM|UPDATE)\s+"?([a-z_][a-z0-9_]+)"?(?=\s+(?:SET|WHERE|AS|\()|\s*\(|\s*[`'"\n])|\.(?:insertInto|updateTable|deleteFrom)\(\s*'([a-z_0-9]+)'|\btable\('([a-z_0-9]+)'\)/g

/** Tables that more than one domain writes, with the number of domains. */
export function tablesOfSeveralDomains(sources: readonly Source[], tables: ReadonlySet<string>): Findings {
  const writers = new Map<string, Set<string>>()
  for (const { path, text } of sources) {
    const owner = domain(path)
    if (!owner) continue
    for (const [, written, built, named] of text.matchAll(writes)) {
      const table = written ?? built ?? named ?? ''
      if (tables.has(table)) writers.set(table, (writers.get(table) ?? new Set()).add(owner))
    }
  }
  const shared = [...writers].filter(([, domains]) => domains.size > 1)
  return Object.fromEntries(shared.map(([table, { size }]) => [table, size] as const).sort())
}

/** Files of a domain without a role: neither their name nor their folder declares one. */
export function filesWithoutRole(sources: readonly Source[]): Findings {
  return counted(sources.map(({ path }) => path).filter((path) => domain(path) && roleOf(path) === undefined))
}

/** Files with imports that their role forbids, with the number of such imports. */
export function layerBreaks(imports: readonly Import[]): Findings {
  const broken = imports.filter((edge) => layersByRole.some((rule) => rule.forbids(edge)))
  return counted(broken.map(({ from }) => from))
}

/** Files that import each other at run time in a circle, with the size of the circle. */
export function fileCircles(sources: readonly Source[], imports: readonly Import[]): Findings {
  const known = new Set(sources.map(({ path }) => path))
  const next = new Map<string, string[]>()
  for (const { from, to, isType } of imports) {
    if (!isType && known.has(to)) next.set(from, [...(next.get(from) ?? []), to])
  }
  const circles = components([...known].filter(inServer), next).filter((files) => files.length > 1)
  return Object.fromEntries(
    circles.flatMap((files) => files.map((file) => [file, files.length] as const)).sort(),
  )
}

/** Tarjan's strongly connected components. */
function components(nodes: readonly string[], next: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const found: string[][] = []
  const visit = (node: string): void => {
    const at = index.size
    index.set(node, at)
    low.set(node, at)
    open.push(node)
    for (const other of next.get(node) ?? []) {
      if (!index.has(other)) {
        visit(other)
        low.set(node, Math.min(low.get(node) ?? at, low.get(other) ?? at))
      } else if (open.includes(other)) low.set(node, Math.min(low.get(node) ?? at, index.get(other) ?? at))
    }
    if (low.get(node) === at) found.push(open.splice(open.indexOf(node)))
  }
  for (const node of nodes) if (!index.has(node)) visit(node)
  return found
}

const state = /^(?:export )?(?:let \w+|const \w+(?::[^=\n]+)? = new (?:WeakMap|WeakSet|LRUCache)\b)/gm
const emptyCollection = /^(?:export )?const (\w+)(?::[^=\n]+)? = new (?:Map|Set)(?:<[^;\n]*>)?\(\)/gm

/** Module-level variables that change while the server runs, by file. */
export function moduleState(sources: readonly Source[]): Findings {
  return counted(
    sources
      .filter(({ path }) => inServer(path) && !isGenerated(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(state), ...text.matchAll(emptyCollection)].map(() => path),
      ),
  )
}

/** Type escapes (`as never`, `as unknown as`), by file. */
export function typeEscapes(sources: readonly Source[]): Findings {
  return counted(
    sources
      .filter(({ path }) => inServer(path) && !isGenerated(path))
      .flatMap(({ path, text }) => [...text.matchAll(/\bas never\b|\bas unknown as\b/g)].map(() => path)),
  )
}

/** Folders with more than 25 files, with their number. */
export function crowdedFolders(sources: readonly Source[]): Findings {
  const folders = counted(
    sources.filter(({ path }) => inServer(path)).map(({ path }) => path.slice(0, path.lastIndexOf('/'))),
  )
  return Object.fromEntries(Object.entries(folders).filter(([, files]) => files > 25))
}

/** Hand-written files of more than 350 lines, with their lines rounded up to the next fifty. */
export function longFiles(sources: readonly Source[]): Findings {
  const long = sources
    .filter(({ path }) => inServer(path) && !isGenerated(path))
    .map(({ path, text }) => [path, text.split('\n').length] as const)
    .filter(([, lines]) => lines > 350)
  return Object.fromEntries(long.map(([path, lines]) => [path, Math.ceil(lines / 50) * 50] as const).sort())
}
