import './lib/node.mjs'
import { runJourneys } from './lib/e2e.mjs'
import { ensureBuildApart } from './lib/run.mjs'

ensureBuildApart()
const { passed, skipped } = await runJourneys(process.argv.slice(2))
for (const reason of skipped) console.log(`Skipped ${reason}.`)
process.exitCode = passed ? 0 : 1
