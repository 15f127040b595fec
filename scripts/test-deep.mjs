// The tests that take long by their nature, with as many rounds as make them worth it: 200 kills under load.
import './lib/node.mjs'
import { ensureBuildApart } from './lib/run.mjs'
import { runTests } from './lib/vitest.mjs'

process.env.DESKFORGE_TEST_DEEP = '1'
ensureBuildApart()
const args = process.argv.slice(2)
const { passed, told } = await runTests(args.length > 0 ? args : ['test/process/kill.test.ts'])
for (const line of told) console.log(line)
process.exitCode = passed ? 0 : 1
