import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { isAlive, isStale } from './build.mjs'
import { root } from './node.mjs'

const ensureScript = join(root, 'scripts/ensure-build.mjs')

/**
 * Updates `dist/` in a separate process: the bundler's memory must not stay with an instance that then runs for
 * weeks. Ends this process if the build fails; the bundler has printed why.
 */
export function ensureBuildApart() {
  if (!isStale()) return
  const result = spawnSync(process.execPath, [ensureScript], { stdio: 'inherit' })
  if (result.status !== 0) {
    console.error('Deskforge could not be built, so it was not started.')
    process.exit(result.status ?? 1)
  }
}

/** The same without blocking. Resolves to true if `dist/` is up to date; the bundler prints errors. */
export async function buildApart() {
  return !isStale() || (await runProgram(process.execPath, [ensureScript])) === 0
}

/** Runs the built command line inside this process: no second process, and direct signals and exit codes. */
export async function runCli(command, args) {
  endWithNpm()
  const cli = join(root, 'dist/server/cli.js')
  process.argv = [process.execPath, cli, ...(command === undefined ? [] : [command]), ...args]
  await import('../../dist/server/cli.js')
}

/**
 * A SIGTERM for npm ends only the shell between npm and this process. So this process watches the shell and shuts
 * down when it is gone. If an older Node started this one (node.mjs), that Node is in between, and the shell is its
 * parent.
 */
function endWithNpm() {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return
  const parent = process.ppid
  const shell = Number(process.env.DESKFORGE_NODE_HANDOVER) || parent
  const timer = setInterval(() => {
    if (process.ppid === parent && isAlive(shell)) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  timer.unref()
}

/** Starts a program on this terminal; resolves with its exit code (128 + number for a signal). `options` are those of `spawn`. */
export function runProgram(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit', cwd: root, ...options })
    const forward = (signal) => child.kill(signal)
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, forward)
    const done = (code) => {
      for (const signal of signals) process.off(signal, forward)
      resolve(code)
    }
    child.on('error', () => done(127))
    child.on('exit', (code, signal) => done(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })
}
