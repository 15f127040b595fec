import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { reportFailures } from './failures.mjs'
import { root } from './node.mjs'

const bin = (path) => join(root, 'node_modules', path)
const tsc = bin('typescript7/bin/tsc')

const tasks = [
  ['types of the renderer', [join(root, 'scripts/vue-types.mjs')]],
  // One checker each: several checkers do some of the work twice. The tests that run in a window import little of the
  // server, so its files are checked once, without the types of a browser.
  ['types of the server, the shell and the tests', [tsc, '-p', 'test', '--checkers', '1']],
  ['types of the tests in a window', [tsc, '-p', 'test/tsconfig.window.json', '--checkers', '1']],
  ['lint', [bin('oxlint/bin/oxlint'), '--deny-warnings']],
  ['format', [bin('oxfmt/bin/oxfmt'), '--check', '--no-error-on-unmatched-pattern', '.']],
  ['architecture', [bin('vitest/vitest.mjs'), 'run', '--project', 'node', 'test/architecture.test.ts']],
  ['generated files', [join(root, 'scripts/gen-check.mjs')]],
]

function runTask([name, args]) {
  return new Promise((resolve) => {
    const started = performance.now()
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      if (code === 0) console.log(`ok      ${name} (${seconds} s)`)
      else reportFailures([`failed  ${name} (${seconds} s)`, output.trimEnd()])
      resolve(code === 0)
    })
  })
}

/**
 * Runs all static checks, two at a time; resolves to true if all passed. Where other work needs a processor first, only
 * one runs until the promise `after` resolves.
 */
export async function check({ after } = {}) {
  for (const [, args] of tasks)
    if (!existsSync(args[0])) throw new Error(`${args[0]} is missing; run "npm ci".`)
  const queue = [...tasks]
  const results = []
  const worker = async () => {
    for (let task = queue.shift(); task; task = queue.shift()) results.push(await runTask(task))
  }
  await Promise.all([worker(), Promise.resolve(after).then(worker)])
  return results.every(Boolean)
}
