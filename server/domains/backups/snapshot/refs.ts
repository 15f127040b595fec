import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What changes in a repository, as it was at one moment; objects are only ever added. */
export interface RefsOfMoment {
  readonly head: string
  readonly config: string
  /** All refs, as `packed-refs` has them. */
  readonly packed: string
  /** Refs that cannot be packed: those that name another ref. By path, with their content. */
  readonly loose: readonly (readonly [path: string, content: string])[]
}

/**
 * Reads all refs of a repository. Nobody may move them meanwhile, but they may be packed: that writes the packed ones first, so
 * the loose ones have to be read first. Undefined where there is no repository any more.
 */
export function readRefs(gitDir: string): RefsOfMoment | undefined {
  const head = textOf(join(gitDir, 'HEAD'))
  if (head === undefined) return undefined
  const loose = new Map<string, string>()
  readLoose(gitDir, 'refs', loose)
  const packed = textOf(join(gitDir, 'packed-refs')) ?? ''
  const config = textOf(join(gitDir, 'config')) ?? ''
  const plain = [...loose].filter(([, content]) => /^[0-9a-f]{40,64}\n$/.test(content))
  const named = [...loose].filter(([, content]) => content.startsWith('ref: '))
  return { head, config, packed: plain.length === 0 ? packed : merged(packed, new Map(plain)), loose: named }
}

function readLoose(gitDir: string, folder: string, found: Map<string, string>): void {
  for (const entry of entriesOf(join(gitDir, folder))) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) readLoose(gitDir, path, found)
    else if (!path.endsWith('.lock')) {
      const content = textOf(join(gitDir, path))
      if (content !== undefined) found.set(path, content)
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

/** Loose refs win over packed ones of their name. What a packed tag leads to stays with it. */
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
  // Sorted by bytes, which is how git looks them up.
  const names = [...lines.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  return `# pack-refs with: sorted \n${names.map((name) => lines.get(name)).join('')}`
}
