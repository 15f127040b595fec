// Packs the application. With ELECTRON_DIST the unpacked Electron distribution there is used, so that
// nothing has to be downloaded.
import './lib/node.mjs'
import { join } from 'node:path'
import { root } from './lib/node.mjs'
import { ensureBuildApart, runProgram } from './lib/run.mjs'

ensureBuildApart()
const builder = join(root, 'node_modules/electron-builder/cli.js')
const distribution = process.env.ELECTRON_DIST
const given = distribution ? [`--config.electronDist=${distribution}`] : []
const args = [builder, '--publish', 'never', ...given, ...process.argv.slice(2)]
process.exitCode = await runProgram(process.execPath, args)
