// Completes package-lock.json after `npm install`: adds the optional packages of other platforms that the configured
// registry did not offer. Newer npm refuses `npm ci` if the lockfile lacks an optional dependency of a package; a
// machine of that platform installs the added version as usual.
import './lib/node.mjs'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './lib/node.mjs'

const file = join(root, 'package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
const packages = lock.packages

/** Returns true if npm would find `name` from the package at `path`. */
function isKnown(path, name) {
  for (let at = path; ;) {
    if (packages[`${at ? `${at}/` : ''}node_modules/${name}`]) return true
    if (!at) return false
    const index = at.lastIndexOf('node_modules/')
    at = index <= 0 ? '' : at.slice(0, index - 1)
  }
}

/** Returns system, processor and C library from the name of a platform package; undefined for other packages. */
function platformOf(name) {
  const match = /(android|darwin|freebsd|linux|openharmony|win32|wasm32)(?:-(.*))?$/.exec(name)
  if (!match) return undefined
  const [processor, abi] = (match[2] ?? '').split('-')
  const isWasm = match[1] === 'wasm32'
  const libc = match[1] === 'linux' && abi ? { libc: [abi.startsWith('musl') ? 'musl' : 'glibc'] } : {}
  return { cpu: [isWasm ? 'wasm32' : processor], ...libc, ...(isWasm ? {} : { os: [match[1]] }) }
}

let added = 0
for (const [path, one] of Object.entries(packages)) {
  if (!path) continue
  for (const [name, version] of Object.entries(one.optionalDependencies ?? {})) {
    const platform = platformOf(name)
    if (!platform || !/^\d/.test(version) || isKnown(path, name)) continue
    packages[`node_modules/${name}`] = {
      version,
      ...(one.dev ? { dev: true } : {}),
      optional: true,
      ...platform,
    }
    added++
  }
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`Named ${added} packages of other platforms.`)
