import { existsSync } from 'node:fs'
import { join } from 'node:path'

const arches = { 1: 'x64', 3: 'arm64' }

/**
 * electron-builder's hook: checks that the package has the native binary for its platform. Otherwise it would only
 * fail on the user's machine.
 */
export async function afterPack({ packager, appOutDir, arch }) {
  const name = `${packager.platform.nodeName}-${arches[arch]}.node`
  const folder = join(
    packager.getResourcesDir(appOutDir),
    'app.asar.unpacked/node_modules/better-sqlite3/prebuilds',
  )
  if (!existsSync(join(folder, name))) throw new Error(`The package lacks better-sqlite3's binary ${name}.`)
}

export default afterPack
