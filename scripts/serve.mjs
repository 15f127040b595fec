import './lib/node.mjs'
import { ensureBuildApart, runCli } from './lib/run.mjs'

ensureBuildApart()
await runCli('serve', process.argv.slice(2))
