// Every check that needs no outside service: static checks, tests, journeys in a browser. All of them run
// even when one fails, so that one run tells everything.
import './lib/node.mjs'
import { join } from 'node:path'
import { check } from './lib/check.mjs'
import { runJourneys } from './lib/e2e.mjs'
import { root } from './lib/node.mjs'
import { ensureBuildApart, runProgram } from './lib/run.mjs'

const results = []
const skipped = []

results.push(['static checks', await check()])
ensureBuildApart()
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
results.push(['tests', (await runProgram(process.execPath, [vitest, 'run', ...process.argv.slice(2)])) === 0])
const journeys = await runJourneys([])
results.push(['journeys', journeys.code === 0])
skipped.push(...journeys.skipped)

console.log('')
for (const [name, passed] of results) console.log(`${passed ? 'passed' : 'FAILED'}  ${name}`)
for (const reason of skipped) console.log(`skipped ${reason}`)
process.exitCode = results.every(([, passed]) => passed) ? 0 : 1
