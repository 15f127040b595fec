// Every check that needs no outside service: static checks, tests, journeys in a browser. All of them run
// even when one fails, so that one run tells everything.
import './lib/node.mjs'
import { check } from './lib/check.mjs'
import { runJourneys } from './lib/e2e.mjs'
import { ensureBuildApart } from './lib/run.mjs'
import { runTests } from './lib/vitest.mjs'

const results = []
const skipped = []

results.push(['static checks', await check()])
ensureBuildApart()
const tests = await runTests(process.argv.slice(2))
results.push(['tests', tests.passed])
const journeys = await runJourneys([])
results.push(['journeys', journeys.code === 0])
skipped.push(...journeys.skipped)

console.log('')
// Once more at the end: what was said above is far away by now.
for (const line of tests.told) console.log(line)
for (const [name, passed] of results) console.log(`${passed ? 'passed' : 'FAILED'}  ${name}`)
for (const reason of skipped) console.log(`skipped ${reason}`)
process.exitCode = results.every(([, passed]) => passed) ? 0 : 1
