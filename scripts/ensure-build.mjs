import './lib/node.mjs'
import { ensureBuild } from './lib/build.mjs'

await ensureBuild().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
