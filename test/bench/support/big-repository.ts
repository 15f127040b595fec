import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const COMMITS = 5000
const FILES = 400
/** Incompressible text in each change, so that the pack has about 50 MB. */
const BYTES_PER_CHANGE = 9500

/** Text that compresses badly and is the same on every machine. */
function noise(seed: string, bytes: number): string {
  const parts: string[] = []
  for (let length = 0, index = 0; length < bytes; index++) {
    const line = createHash('sha512').update(`${seed}-${index}`).digest('base64')
    parts.push(line)
    length += line.length + 1
  }
  return parts.join('\n').slice(0, bytes)
}

function commitText(index: number, changes: readonly { path: string; content: string }[]): string {
  const time = 1_700_000_000 + index * 60
  const message = `Change ${index}: adjust what module ${index % FILES} does\n\nA second paragraph says why.\n`
  const head = `commit refs/heads/main\nmark :${index + 1}\nauthor Bench <bench@example.test> ${time} +0000\ncommitter Bench <bench@example.test> ${time} +0000\ndata ${Buffer.byteLength(message)}\n${message}`
  const from = index > 0 ? `from :${index}\n` : ''
  const files = changes.map(
    ({ path, content }) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(content)}\n${content}\n`,
  )
  return `${head}${from}${files.join('')}\n`
}

function changesOf(index: number): { path: string; content: string }[] {
  const path = (file: number): string => `src/area-${file % 20}/module-${file}.ts`
  // Every 500th commit changes 200 files slightly. These are the large diffs of row 9.
  if (index % 500 === 499) {
    return Array.from({ length: 200 }, (_, file) => ({
      path: path(file),
      content: `// touched by ${index}\n${noise(`small-${file}`, 600)}\n`,
    }))
  }
  return [{ path: path(index % FILES), content: noise(`change-${index}`, BYTES_PER_CHANGE) }]
}

/** A bare repository with 5,000 commits and about 50 MB, created once and cached in `cacheDir`. */
export async function bigRepository(cacheDir: string): Promise<string> {
  const target = join(cacheDir, `big-${COMMITS}-${BYTES_PER_CHANGE}.git`)
  if (existsSync(target)) return target
  mkdirSync(cacheDir, { recursive: true })
  const making = `${target}.making`
  rmSync(making, { recursive: true, force: true })
  spawnSync('git', ['init', '-q', '--bare', '-b', 'main', making])
  const importer = spawn('git', ['--git-dir', making, 'fast-import', '--quiet'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  for (let index = 0; index < COMMITS; index++) {
    if (!importer.stdin.write(commitText(index, changesOf(index)))) await once(importer.stdin, 'drain')
  }
  importer.stdin.end()
  await once(importer, 'exit')
  spawnSync('git', ['--git-dir', making, 'repack', '-adq'])
  renameSync(making, target)
  return target
}
