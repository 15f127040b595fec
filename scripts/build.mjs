import './lib/node.mjs'
import { buildAll } from './lib/build.mjs'

await buildAll({ quiet: false })
