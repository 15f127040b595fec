// Runs what takes minutes: 200 kills under load, 1,000 temporary instances, the permission matrix of every endpoint, the roles in the
// specifications, every endpoint against invalid input, the tests in `*.deep.test.ts`, and all journeys outside the core. Arguments select other test files.
import './lib/node.mjs'
import { runJourneys } from './lib/e2e.mjs'
import { reportFailures } from './lib/failures.mjs'
import { ensureBuildApart } from './lib/run.mjs'
import { runTests } from './lib/vitest.mjs'

const DEEP = [
  '.deep.test.ts',
  'test/process/kill.test.ts',
  'test/process/ephemeral.test.ts',
  'test/contract.test.ts',
  '-roles.test.ts',
  'test/api/kernel/fuzz',
]

process.env.DESKFORGE_TEST_DEEP = '1'
ensureBuildApart()
const args = process.argv.slice(2)
const { passed, times, failures } = await runTests(args.length > 0 ? args : DEEP)
const journeys =
  args.length > 0
    ? { passed: true, skipped: [], failures: [] }
    : await runJourneys(['--grep-invert', '@core'])
for (const line of times) console.log(line)
reportFailures([...failures, ...journeys.failures])
for (const reason of journeys.skipped) console.log(`skipped ${reason}`)
process.exitCode = passed && journeys.passed ? 0 : 1
