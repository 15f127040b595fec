// Measures a fresh build: all rows of the bench, or the named ones.
import './lib/node.mjs'
import { ensureBuild } from './lib/build.mjs'

await ensureBuild()
await import('../test/bench/index.ts')
