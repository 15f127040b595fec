// Checks that the generated files are up to date: generates them again into a temporary folder and compares.
import './lib/node.mjs'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './lib/node.mjs'

const isGenerated = (name) => /\.gen\.(ts|json)$/.test(name)
const inTree = ['server', 'renderer'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter(isGenerated)
    .map((name) => join(folder, name)),
)
const folder = mkdtempSync(join(tmpdir(), 'deskforge-gen-'))
for (const file of inTree) cpSync(join(root, file), join(folder, file), { recursive: true })
const gen = spawnSync(process.execPath, [join(root, 'scripts/cli.mjs'), 'gen'], {
  cwd: folder,
  stdio: 'inherit',
})
const read = (base, file) =>
  existsSync(join(base, file)) ? readFileSync(join(base, file), 'utf8') : undefined
const written = readdirSync(folder, { recursive: true }).filter(isGenerated)
const stale = written.filter((file) => read(folder, file) !== read(root, file))
rmSync(folder, { recursive: true, force: true })
if (stale.length > 0) console.error(`Not up to date: ${stale.join(', ')}. Run "npm run gen".`)
process.exitCode = gen.status !== 0 || stale.length > 0 ? 1 : 0
