import './lib/node.mjs'
import { join } from 'node:path'
import { root } from './lib/node.mjs'
import { ensureBuildApart, runProgram } from './lib/run.mjs'

ensureBuildApart()
const builder = join(root, 'node_modules/electron-builder/cli.js')
process.exitCode = await runProgram(process.execPath, [builder, '--publish', 'never', ...process.argv.slice(2)])
