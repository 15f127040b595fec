import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Source {
  /** Relative to the repository's root, with `/`. */
  readonly path: string
  readonly text: string
}

export interface Import {
  readonly from: string
  /** A path like `from` for our own files, otherwise the package as written, without `node:`. */
  readonly to: string
  /** True for type imports, which compilation removes. */
  readonly isType: boolean
}

const statement =
  /(?:^|[\n;])\s*(?:import|export)\s+(type\s)?([^'"();]*?\sfrom\s+)?['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g

/** The sources of one part of the tree, without comments. */
export function sourcesOf(folder: string): Source[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && /\.(ts|vue)$/.test(entry.name))
  return files.map((entry) => {
    const file = join(entry.parentPath, entry.name)
    const text = readFileSync(file, 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/^\s*\/\/.*$/gm, '')
    return { path: relative(root, file).replaceAll('\\', '/'), text }
  })
}

function resolve(from: string, specifier: string): string {
  const plain = specifier.replace(/\?.*$/, '').replace(/^node:/, '')
  return plain.startsWith('.') ? join(dirname(from), plain).replaceAll('\\', '/') : plain
}

/** Every import and re-export of a source. `import { type A }` counts as one that runs. */
export function importsOf(source: Source): Import[] {
  return [...source.text.matchAll(statement)].map(([, type, , plain, dynamic]) => {
    const to = resolve(source.path, plain ?? dynamic ?? '')
    return { from: source.path, to, isType: type !== undefined }
  })
}
