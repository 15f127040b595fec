// Runs the static checks, the quick tests and the core journeys; `npm run test:deep` runs the others. A failure does not
// stop the others, so that one run shows everything. Nothing is repeated. The journeys run alone: next to the tests
// their pages would wait for the processor most of the time.
import './lib/node.mjs'
import { performance } from 'node:perf_hooks'
import { check } from './lib/check.mjs'
import { runJourneys } from './lib/e2e.mjs'
import { reportFailures } from './lib/failures.mjs'
import { keepTemporaryFilesInMemory } from './lib/memory.mjs'
import { buildApart } from './lib/run.mjs'
import { runTests, seedOfRun } from './lib/vitest.mjs'

const began = performance.now()
const results = []

async function timed(name, run) {
  const start = performance.now()
  const value = await run()
  results.push([name, value.passed, (performance.now() - start) / 1000])
  return value
}

const tidyUp = keepTemporaryFilesInMemory()
process.env.DESKFORGE_TEST_SEED = seedOfRun()
const build = timed('build', async () => ({ passed: await buildApart() }))
await Promise.all([build, timed('static checks', async () => ({ passed: await check({ after: build }) }))])
const journeys = await timed('journeys', () => runJourneys(['--grep', '@core']))
const tests = await timed('tests', () => runTests(process.argv.slice(2)))
tidyUp()

// Printed again at the end, because the first output scrolled away.
for (const line of tests.times) console.log(line)
reportFailures([...tests.failures, ...journeys.failures])
for (const [name, passed, seconds] of [...results, ['in all', true, (performance.now() - began) / 1000]])
  console.log(`${passed ? 'passed ' : 'FAILED '} ${seconds.toFixed(0).padStart(4)} s  ${name}`)
for (const reason of journeys.skipped) console.log(`skipped ${reason}`)
process.exitCode = results.every(([, passed]) => passed) ? 0 : 1
