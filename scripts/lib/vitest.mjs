import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './node.mjs'
import { runProgram } from './run.mjs'

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const report = join(root, 'test-results/vitest.json')

/** More files than this are no accident; they are not tried again. */
const MAX_AGAIN = 4

/**
 * Runs the tests. A few files that fail are run once more by themselves, when nothing else takes the processors: what
 * passes then hangs on timing, which is said in words and does not count as failed. Resolves to `{ passed, told }`:
 * whether all passed at last, and a line for everything that did not at first.
 */
export async function runTests(args) {
  const first = await run(args)
  if (first.code === 0) return { passed: true, told: [] }
  const told = first.failures.map((one) => `failed  ${one.file} > ${one.name}: ${one.reason}`)
  const files = [...new Set(first.failures.map((one) => one.file))]
  const isWorthIt = files.length > 0 && files.length <= MAX_AGAIN
  if (!isWorthIt) return { passed: false, told: [...told, 'failed  not run again'] }
  console.log(`\nFailed at first and run once more: ${files.join(', ')}`)
  const again = await run(files)
  for (const one of again.failures) told.push(`failed again  ${one.file} > ${one.name}: ${one.reason}`)
  if (again.code === 0) told.push('unsteady  what failed passed when it was run again; it hangs on timing')
  return { passed: again.code === 0, told }
}

async function run(args) {
  rmSync(report, { force: true })
  mkdirSync(dirname(report), { recursive: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const code = await runProgram(process.execPath, [vitest, 'run', ...reporters, ...args])
  return { code, ...(code === 0 ? { failures: [] } : failuresIn(report)) }
}

/** Failed tests by their file, and files that could not be run at all. */
function failuresIn(path) {
  let results
  try {
    results = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { failures: [] }
  }
  const failures = []
  for (const suite of results.testResults) {
    if (suite.status !== 'failed') continue
    const file = relative(root, suite.name)
    const failed = suite.assertionResults.filter((one) => one.status === 'failed')
    for (const one of failed)
      failures.push({ file, name: one.fullName, reason: firstLine(one.failureMessages[0]) })
    if (failed.length === 0) failures.push({ file, name: 'the whole file', reason: firstLine(suite.message) })
  }
  return { failures }
}

function firstLine(text) {
  return (text ?? '').split('\n')[0].slice(0, 300)
}
