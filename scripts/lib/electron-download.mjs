import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { root } from './node.mjs'

const cache = (name) => join(homedir(), '.cache', name)

async function answers(url) {
  try {
    return (await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(15_000) })).ok
  } catch {
    return false
  }
}

/** The version of Electron that the application is packed with. */
export function electronVersion() {
  return JSON.parse(readFileSync(join(root, 'node_modules/electron/package.json'), 'utf8')).version
}

/** Returns true if electron-builder can get an Electron distribution: from its cache, or from its download server. */
export async function electronIsReachable() {
  const version = electronVersion()
  if (existsSync(join(process.env.ELECTRON_CACHE ?? cache('electron'), `v${version}`))) return true
  const mirror = process.env.ELECTRON_MIRROR ?? 'https://github.com/electron/electron/releases/download/'
  return answers(`${mirror}v${version}/SHASUMS256.txt`)
}

/** Returns true if electron-builder can get the programs that it makes archives and installers with. */
export async function toolsAreReachable() {
  const kept = process.env.ELECTRON_BUILDER_CACHE ?? cache('electron-builder')
  // A download that failed leaves empty folders.
  const isKept =
    existsSync(kept) &&
    readdirSync(kept, { recursive: true, withFileTypes: true }).some((entry) => entry.isFile())
  if (isKept) return true
  return answers(
    process.env.ELECTRON_BUILDER_BINARIES_MIRROR ??
      'https://github.com/electron-userland/electron-builder-binaries',
  )
}
