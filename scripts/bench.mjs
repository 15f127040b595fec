// Measures a fresh build: every row of the bench, or the rows that are named.
import './lib/node.mjs'
import { ensureBuild } from './lib/build.mjs'

await ensureBuild()
await import('../test/bench/index.ts')
