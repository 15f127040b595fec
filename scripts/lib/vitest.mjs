import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './node.mjs'
import { runProgram } from './run.mjs'

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const report = join(root, 'test-results/vitest.json')

/** Folders with their own line in the table of times; the others share one line. */
const TABLE_LINES = 12

/** The seed of slices and fuzzers: a new one each time, or `DESKFORGE_TEST_SEED`. */
export function seedOfRun() {
  return process.env.DESKFORGE_TEST_SEED ?? String(Math.floor(Math.random() * 2 ** 31))
}

/** What `npm test` runs; the projects `deep` and `deep-process` have the tests that take long. */
const QUICK = ['--project', 'node', '--project', 'renderer', '--project', 'process']

/**
 * Runs the tests of these files once, all quick ones for an empty list. A seed selects slices of the permission matrix and of the fuzzers; `DESKFORGE_TEST_SEED`
 * repeats one. Resolves to `{ passed, times, failures }`: whether all passed, and sentences about the time and the failures.
 */
export async function runTests(args) {
  const seed = seedOfRun()
  rmSync(report, { force: true })
  mkdirSync(dirname(report), { recursive: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const env = { ...process.env, DESKFORGE_TEST_SEED: seed }
  const selected = args.length > 0 ? args : QUICK
  const code = await runProgram(process.execPath, [vitest, 'run', ...reporters, ...selected], { env })
  const results = resultsIn(report)
  const times = [`seed    ${seed} (DESKFORGE_TEST_SEED repeats it)`, ...timesOf(results)]
  const failures = failuresOf(results).map((one) => `failed  ${one.file} > ${one.name}: ${one.reason}`)
  if (code !== 0) failures.push(`failed  vitest ended with ${code} (seed ${seed})`)
  return { passed: code === 0, times, failures }
}

function resultsIn(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).testResults
  } catch {
    return []
  }
}

/** Returns seconds by test folder, the longest first. Files run in parallel, so their sum exceeds the run's time. */
function timesOf(results) {
  const seconds = new Map()
  for (const { name, startTime, endTime } of results) {
    const folder = relative(root, name).split(/[\\/]/).slice(0, 3).join('/')
    seconds.set(folder, (seconds.get(folder) ?? 0) + (endTime - startTime) / 1000)
  }
  const rows = [...seconds].sort(([, a], [, b]) => b - a)
  const rest = rows.slice(TABLE_LINES).reduce((sum, [, time]) => sum + time, 0)
  const shown = [...rows.slice(0, TABLE_LINES), ...(rest > 0 ? [['the rest', rest]] : [])]
  return shown.map(([folder, time]) => `time    ${time.toFixed(0).padStart(4)} s  ${folder}`)
}

/** Failed tests by their file, and files that could not be run at all. */
function failuresOf(results) {
  const failures = []
  for (const suite of results) {
    if (suite.status !== 'failed') continue
    const file = relative(root, suite.name)
    const failed = suite.assertionResults.filter((one) => one.status === 'failed')
    for (const one of failed)
      failures.push({ file, name: one.fullName, reason: firstLine(one.failureMessages[0]) })
    if (failed.length === 0) failures.push({ file, name: 'the whole file', reason: firstLine(suite.message) })
  }
  return failures
}

function firstLine(text) {
  return (text ?? '').split('\n')[0].slice(0, 300)
}
