// Checks the types of a folder with components, `renderer` unless another is named. `vue-tsc` does the same in twice the
// time, and `npm run test:deep` compares both.
import './lib/node.mjs'
import { join, relative } from 'node:path'
import { root } from './lib/node.mjs'
import { problemsOf } from './lib/vue-types.mjs'

const problems = problemsOf(join(root, process.argv[2] ?? 'renderer', 'tsconfig.json'))
for (const { file, line, column, code, message } of problems)
  console.log(`${relative(root, file)}(${line},${column}): error TS${code}: ${message}`)
process.exitCode = problems.length > 0 ? 1 : 0
