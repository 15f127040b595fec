import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { root } from './node.mjs'

/** Returns true if electron-builder can get an Electron distribution: from its cache, or from its download server. */
export async function electronIsReachable() {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/electron/package.json'), 'utf8'))
  if (existsSync(join(process.env.ELECTRON_CACHE ?? join(homedir(), '.cache/electron'), `v${version}`)))
    return true
  const mirror = process.env.ELECTRON_MIRROR ?? 'https://github.com/electron/electron/releases/download/'
  try {
    const url = `${mirror}v${version}/SHASUMS256.txt`
    return (await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(15_000) })).ok
  } catch {
    return false
  }
}
