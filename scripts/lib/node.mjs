// Runs before anything that needs the project's own Node. Kept to old syntax on purpose: it is what an
// older Node on the machine meets first.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const wanted = 24

/** The repository's root folder, with a trailing separator. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Makes sure the script runs on Node 24 or newer: an older Node hands over to the one the `node` package
 * brought into the project, or says in one sentence what is missing and ends with code 1.
 */
export function requireNode() {
  if (Number(process.versions.node.split('.')[0]) >= wanted) return
  const own = root + 'node_modules/node/bin/' + (process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(own) || process.env.DESKFORGE_NODE_HANDOVER) {
    console.error(
      'Deskforge needs Node ' +
        wanted +
        ' or newer, and this is ' +
        process.version +
        '; run "npm ci" to get it.',
    )
    process.exit(1)
  }
  const env = Object.assign({}, process.env, { DESKFORGE_NODE_HANDOVER: '1' })
  const result = spawnSync(own, process.argv.slice(1), { stdio: 'inherit', env: env })
  process.exit(result.status === null ? 1 : result.status)
}

requireNode()
