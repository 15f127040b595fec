import './lib/node.mjs'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib/node.mjs'

const [domain, ...words] = process.argv.slice(2)
const what = words.join('_')
if (![domain, what].every((name) => /^[a-z][a-z0-9_]*$/.test(name ?? ''))) {
  console.error(
    'Usage: npm run migrate:new -- <domain> <what_changes>   (lower case, digits and underscores)',
  )
  process.exit(1)
}
const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 12)
const file = join('server/db/migrations', `${stamp}_${domain}_${what}.sql`)
mkdirSync(join(root, 'server/db/migrations'), { recursive: true })
writeFileSync(join(root, file), '', { flag: 'wx' })
console.log(`Created ${file}; run "npm run gen" once it is written.`)
