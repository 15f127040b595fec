// Packs the application: fetches the bundled git, runs electron-builder, then makes the other files: deb and rpm with
// the system's tools, a list of components (CycloneDX) and checksums. With ELECTRON_DIST it uses the unpacked Electron
// distribution there, without a download. At the end it lists what is missing, one sentence each.
import './lib/node.mjs'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fetchGit, platforms } from './lib/bundled-git.mjs'
import { electronIsReachable } from './lib/electron-download.mjs'
import { packLinux } from './lib/linux-packages.mjs'
import { root } from './lib/node.mjs'
import { writeChecksums, writeComponents, writeUpdateLists } from './lib/release-files.mjs'
import { ensureBuildApart, runProgram } from './lib/run.mjs'

const { values, positionals } = parseArgs({
  strict: false,
  options: {
    linux: { type: 'boolean' },
    mac: { type: 'boolean' },
    win: { type: 'boolean' },
    x64: { type: 'boolean' },
    arm64: { type: 'boolean' },
    dir: { type: 'boolean' },
  },
})
const own = { darwin: 'mac', win32: 'win' }[process.platform] ?? 'linux'
const systems = ['linux', 'mac', 'win'].filter((name) => values[name])
const arches = ['x64', 'arm64'].filter((name) => values[name])
const wanted = (systems.length > 0 ? systems : [own]).flatMap((system) =>
  (arches.length > 0 ? arches : ['x64', 'arm64']).map((arch) => `${system}-${arch}`),
)
const output = process.argv.find((arg) => arg.startsWith('--config.directories.output='))?.split('=')[1]
const release = output ?? join(root, 'release')

const missing = []
const distribution = process.env.ELECTRON_DIST
const isReachable = Boolean(distribution) || (await electronIsReachable())
if (!isReachable)
  missing.push(
    'Nothing was packed: Electron cannot be downloaded here. Use a machine with a network, or set ELECTRON_DIST to an unpacked distribution.',
  )
const isWithoutGit = process.env.DESKFORGE_BUNDLED_GIT === 'none'
for (const platform of isReachable ? wanted.filter((name) => platforms.includes(name)) : []) {
  const problem = isWithoutGit
    ? `The installers for ${platform} have no git of their own: they were asked for without.`
    : await fetchGit(platform)
  if (problem) missing.push(problem)
}

let code = 1
if (isReachable) {
  ensureBuildApart()
  const builder = join(root, 'node_modules/electron-builder/cli.js')
  const given = distribution ? [`--config.electronDist=${distribution}`] : []
  const args = [builder, '--publish', 'never', ...given, ...process.argv.slice(2)]
  code = await runProgram(process.execPath, args)
  // A target in the arguments is the only one to build.
  if (
    code === 0 &&
    !values.dir &&
    positionals.length === 0 &&
    wanted.some((name) => name.startsWith('linux'))
  )
    missing.push(...packLinux(release, wanted))
  if (code === 0 && existsSync(release)) {
    writeComponents(release)
    writeUpdateLists(release)
    writeChecksums(release)
  }
}
for (const sentence of missing) console.error(sentence)
process.exitCode = code
