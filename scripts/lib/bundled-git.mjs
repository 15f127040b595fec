import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './node.mjs'

const { builds, version } = JSON.parse(readFileSync(join(root, 'build/git.json'), 'utf8'))

/** The platforms that a bundled git is pinned for, as electron-builder names them. */
export const platforms = Object.keys(builds)

async function download(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(300_000) })
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}

/** Throws unless the bytes have the pinned checksum. */
export function verify(bytes, sha256) {
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== sha256) throw new Error(`its SHA-256 is ${found} and not ${sha256}`)
}

/**
 * Puts the pinned git of a platform into `build/git/<platform>`, unless it exists. Resolves to undefined, or to a
 * sentence about why it is missing. `get` downloads.
 */
export async function fetchGit(platform, { folder = join(root, 'build/git'), get = download } = {}) {
  const { url, sha256 } = builds[platform]
  const target = join(folder, platform)
  const stamp = join(target, '.version')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === version) return undefined
  const unfinished = `${target}.unfinished`
  try {
    const bytes = await get(url)
    verify(bytes, sha256)
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished, { recursive: true })
    execFileSync('tar', ['-xzf', '-', '-C', unfinished], { input: bytes })
    writeFileSync(join(unfinished, '.version'), version)
    rmSync(target, { recursive: true, force: true })
    renameSync(unfinished, target)
    return undefined
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    const reason = error.cause?.message ?? error.message
    return `The installers for ${platform} have no git of their own: git ${version} could not be fetched (${reason}).`
  }
}
