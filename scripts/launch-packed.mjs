// Starts the application that `npm run pack` made for this system, on an empty data folder, until its window shows the
// first run, and ends it: a package that cannot start must not be published. The argument is the folder of the release.
import './lib/node.mjs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sandboxFlags } from './lib/electron.mjs'
import { root } from './lib/node.mjs'

const WITHIN_MS = 120_000
const PROGRAMS = {
  linux: ['linux-unpacked/deskforge', 'linux-arm64-unpacked/deskforge'],
  darwin: ['mac', 'mac-arm64'].map((folder) => `${folder}/Deskforge.app/Contents/MacOS/Deskforge`),
  win32: ['win-unpacked/Deskforge.exe', 'win-arm64-unpacked/Deskforge.exe'],
}
const release = resolve(process.argv[2] ?? join(root, 'release'))
const folders = (PROGRAMS[process.platform] ?? []).map((path) => join(release, path))
// Each system has one program for each processor.
const program = (process.arch === 'arm64' ? folders.toReversed() : folders).find((path) => existsSync(path))

/** The addresses of the open pages, by the port that Chromium writes to a file of its profile. */
async function pagesOf(dataDir) {
  const names = existsSync(dataDir) ? readdirSync(dataDir, { recursive: true }) : []
  const file = names.find((name) => name.endsWith('DevToolsActivePort'))
  const port = file && readFileSync(join(dataDir, file), 'utf8').split('\n', 1)[0]
  if (!port) return []
  const answer = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined)
  return answer ? (await answer.json()).map((page) => page.url) : []
}

async function launch() {
  const dataDir = mkdtempSync(join(tmpdir(), 'deskforge-launch-'))
  const args = [...sandboxFlags(), '--data-dir', dataDir, '--port', '0', '--remote-debugging-port=0']
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  let pages = []
  const until = Date.now() + WITHIN_MS
  const isShown = () => {
    const url = /^Deskforge is ready at (\S+)$/m.exec(output)?.[1]
    return url !== undefined && pages.some((page) => page.startsWith(`${url}/-/first_run`))
  }
  try {
    while (!isShown() && child.exitCode === null && Date.now() < until) {
      await wait(200)
      pages = await pagesOf(dataDir)
    }
    if (isShown()) return undefined
    const reason = child.exitCode === null ? 'it showed no window' : `it ended with ${child.exitCode}`
    return `${program} does not start: ${reason}.\n${output}`
  } finally {
    child.kill()
    await Promise.race([ended, wait(15_000, undefined, { ref: false })])
    child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
  }
}

const problem = program ? await launch() : `There is no application for this system in ${release}.`
console.log(problem ?? `${program} starts and shows the first run.`)
process.exit(problem === undefined ? 0 : 1)
