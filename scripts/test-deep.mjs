// The tests that take long by their nature, whole: 200 kills under load, the permission matrix of every endpoint, and every
// endpoint against wrong input. Other files may be named instead.
import './lib/node.mjs'
import { ensureBuildApart } from './lib/run.mjs'
import { runTests } from './lib/vitest.mjs'

const DEEP = ['test/process/kill.test.ts', 'test/contract.test.ts', 'test/api/kernel/fuzz']

process.env.DESKFORGE_TEST_DEEP = '1'
ensureBuildApart()
const args = process.argv.slice(2)
const { passed, lines } = await runTests(args.length > 0 ? args : DEEP)
for (const line of lines) console.log(line)
process.exitCode = passed ? 0 : 1
