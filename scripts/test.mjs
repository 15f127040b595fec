// Every check that needs no outside service: static checks, tests, journeys in a browser. All of them run even when one
// fails, so that one run shows everything. Nothing is run a second time.
import './lib/node.mjs'
import { performance } from 'node:perf_hooks'
import { check } from './lib/check.mjs'
import { runJourneys } from './lib/e2e.mjs'
import { ensureBuildApart } from './lib/run.mjs'
import { runTests } from './lib/vitest.mjs'

const results = []

async function timed(name, run) {
  const start = performance.now()
  const value = await run()
  results.push([name, value.passed, (performance.now() - start) / 1000])
  return value
}

await timed('static checks', async () => ({ passed: await check() }))
await timed('build', async () => ({ passed: ensureBuildApart() !== false }))
const tests = await timed('tests', () => runTests(process.argv.slice(2)))
const journeys = await timed('journeys', async () => {
  const { code, skipped } = await runJourneys([])
  return { passed: code === 0, skipped }
})

console.log('')
// Once more at the end: what was said above is far away by now.
for (const line of tests.lines) console.log(line)
for (const [name, passed, seconds] of results)
  console.log(`${passed ? 'passed ' : 'FAILED '} ${seconds.toFixed(0).padStart(4)} s  ${name}`)
for (const reason of journeys.skipped) console.log(`skipped ${reason}`)
process.exitCode = results.every(([, passed]) => passed) ? 0 : 1
