import './lib/node.mjs'
import { ensureBuild } from './lib/build.mjs'

await ensureBuild()
