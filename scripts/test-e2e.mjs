import './lib/node.mjs'
import { runJourneys } from './lib/e2e.mjs'
import { reportFailures } from './lib/failures.mjs'
import { ensureBuildApart } from './lib/run.mjs'

ensureBuildApart()
const { passed, skipped, failures } = await runJourneys(process.argv.slice(2))
reportFailures(failures)
for (const reason of skipped) console.log(`Skipped ${reason}.`)
process.exitCode = passed ? 0 : 1
