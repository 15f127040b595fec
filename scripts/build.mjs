import './lib/node.mjs'
import { buildAll } from './lib/build.mjs'

await buildAll({ quiet: false }).catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
