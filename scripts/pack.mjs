// Packs the application: fetches the bundled git, runs electron-builder, then makes the other files: deb and rpm with
// the system's tools, a list of components (CycloneDX) and checksums. With ELECTRON_DIST it uses the unpacked Electron
// distribution there, without a download. At the end it lists what is missing, one sentence each.
import './lib/node.mjs'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fetchGit, platforms } from './lib/bundled-git.mjs'
import { electronIsReachable, electronVersion, toolsAreReachable } from './lib/electron-download.mjs'
import { packLinux } from './lib/linux-packages.mjs'
import { identityFor } from './lib/mac-signature.mjs'
import { root } from './lib/node.mjs'
import { writeChecksums, writeComponents, writeNotes, writeUpdateLists } from './lib/release-files.mjs'
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
    `Nothing was packed: Electron ${electronVersion()} cannot be downloaded here. Use a machine with a network, or set ELECTRON_DIST to the folder of an unpacked Electron distribution.`,
    'The git of the installers and the tools of electron-builder are downloaded, too.',
  )
const isWithoutGit = process.env.DESKFORGE_BUNDLED_GIT === 'none'
for (const platform of isReachable ? wanted.filter((name) => platforms.includes(name)) : []) {
  const problem = isWithoutGit
    ? `The installers for ${platform} have no git of their own: they were asked for without.`
    : await fetchGit(platform)
  if (problem) missing.push(problem)
}

/** What the tools of electron-builder make, by system; macOS has its own. */
const madeByTools = { linux: 'AppImage and tar.gz', win: 'The installer and the zip file' }
// A target in the arguments is the only one to build.
const isWhole = !values.dir && positionals.length === 0
const lacksTools =
  isReachable && isWhole && wanted.some((name) => !name.startsWith('mac')) && !(await toolsAreReachable())
if (lacksTools)
  for (const platform of wanted.filter((name) => !name.startsWith('mac')))
    missing.push(
      `${madeByTools[platform.split('-')[0]]} for ${platform} were not made: the tools of electron-builder cannot be downloaded here.`,
    )

let code = 1
if (isReachable) {
  ensureBuildApart()
  const builder = join(root, 'node_modules/electron-builder/cli.js')
  const given = distribution ? [`--config.electronDist=${distribution}`] : []
  const folderOnly = lacksTools ? ['--dir'] : []
  const args = [
    builder,
    '--publish',
    'never',
    ...given,
    ...identityFor(process.env),
    ...process.argv.slice(2),
    ...folderOnly,
  ]
  code = await runProgram(process.execPath, args)
  if (code === 0 && isWhole && wanted.some((name) => name.startsWith('linux')))
    missing.push(...packLinux(release, wanted))
  if (code === 0 && existsSync(release)) {
    writeComponents(release)
    writeUpdateLists(release)
    writeNotes(release)
    writeChecksums(release)
  }
}
// What was asked for is not all there.
if (code === 0 && lacksTools) code = 1
for (const sentence of missing) console.error(sentence)
process.exitCode = code
