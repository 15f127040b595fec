// Runs before anything that needs the project's own Node. It uses only old syntax, because an older Node on the
// machine runs it first.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const wanted = 24

/** The repository's root folder, with a trailing separator. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Returns the Node binary that `npm ci` installed for this system, or undefined if no package has one. */
function ownNode() {
  const isWindows = process.platform === 'win32'
  const system = (isWindows ? 'win' : process.platform) + '-' + process.arch
  const file = isWindows ? 'node.exe' : 'node'
  return ['node-' + system, 'node-bin-' + system]
    .map((name) => root + 'node_modules/' + name + '/bin/' + file)
    .find((path) => existsSync(path))
}

/**
 * Makes sure that the script runs on Node 24 or newer: an older Node starts the one that `npm ci` installed in the
 * project, or prints what is missing and ends with code 1. (npm 10 does not link that Node into the PATH of npm
 * scripts, because the packages for other systems name the same program.) It blocks until that Node ends: the
 * script's other imports must not run on the older Node.
 */
export function requireNode() {
  if (Number(process.versions.node.split('.')[0]) >= wanted) return
  const own = ownNode()
  if (!own || process.env.DESKFORGE_NODE_HANDOVER) {
    const cure = existsSync(root + 'node_modules/vite')
      ? 'install it from nodejs.org'
      : 'run "npm ci" to get it'
    console.error(
      'Deskforge needs Node ' + wanted + ' or newer, and this is ' + process.version + '; ' + cure + '.',
    )
    process.exit(1)
  }
  // `endWithNpm` in run.mjs watches the shell that npm started, which is the parent of this process.
  const env = Object.assign({}, process.env, { DESKFORGE_NODE_HANDOVER: String(process.ppid) })
  const result = spawnSync(own, process.argv.slice(1), { stdio: 'inherit', env: env })
  process.exit(result.status === null ? 1 : result.status)
}

requireNode()
