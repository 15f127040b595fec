import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './node.mjs'

const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'))

/** The components of the application as a CycloneDX 1.6 list: the packages of the lockfile, Electron and git. */
export function components() {
  const { name, version, license } = read('package.json')
  const git = read('build/git.json')
  const packages = Object.entries(read('package-lock.json').packages).filter(([path]) => path !== '')
  const library = ([path, one]) => {
    const packageName = one.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const hash = /^sha512-(.+)$/.exec(one.integrity ?? '')?.[1]
    return {
      type: 'library',
      'bom-ref': `${path}@${one.version}`,
      name: packageName,
      version: one.version,
      scope: one.dev ? 'optional' : 'required',
      purl: `pkg:npm/${packageName.replace(/^@/, '%40')}@${one.version}`,
      ...(one.license ? { licenses: [{ expression: one.license }] } : {}),
      ...(hash ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }] } : {}),
    }
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name, version, licenses: [{ expression: license }] } },
    components: [
      ...packages.filter(([, one]) => one.version).map(library),
      {
        type: 'application',
        'bom-ref': `git@${git.version}`,
        name: 'git (dugite-native)',
        version: git.version,
        licenses: [{ expression: git.licence }],
      },
    ],
  }
}

export function writeComponents(folder) {
  writeFileSync(join(folder, 'components.cdx.json'), `${JSON.stringify(components(), null, 1)}\n`)
}

/** The changes of a version: its section of the change log, or the one of what is not released yet. */
export function notesOf(version, changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')) {
  const sections = changes.split(/^## /m).slice(1)
  const titled = (title) => sections.find((one) => one.split(/\s/, 1)[0] === title)
  const section = titled(version) ?? titled('Unreleased') ?? ''
  return section.slice(section.indexOf('\n') + 1).trim()
}

/** Writes the notes for the page of the release. */
export function writeNotes(folder) {
  writeFileSync(join(folder, 'release-notes.md'), `${notesOf(read('package.json').version)}\n`)
}

/** The update lists that the application reads (electron-updater), and the installers that each names. */
const isArm = (name) => /arm64|aarch64/.test(name)
const isLinux = (name) => /\.(AppImage|deb|rpm)$/.test(name)
const UPDATE_LISTS = {
  'latest.yml': (name) => name.endsWith('.exe'),
  'latest-mac.yml': (name) => name.endsWith('-mac.zip'),
  'latest-linux.yml': (name) => isLinux(name) && !isArm(name),
  'latest-linux-arm64.yml': (name) => isLinux(name) && isArm(name),
}

/** Writes the update lists for the installers in the folder, with what is new, as JSON, which is YAML. */
export function writeUpdateLists(folder, date = new Date()) {
  const { version } = read('package.json')
  const releaseNotes = notesOf(version)
  for (const [list, isListed] of Object.entries(UPDATE_LISTS)) {
    const files = readdirSync(folder)
      .filter(isListed)
      .sort()
      .map((url) => {
        const bytes = readFileSync(join(folder, url))
        return { url, sha512: createHash('sha512').update(bytes).digest('base64'), size: bytes.length }
      })
    if (files.length > 0)
      writeFileSync(
        join(folder, list),
        `${JSON.stringify({ version, files, releaseDate: date.toISOString(), releaseNotes }, null, 2)}\n`,
      )
  }
}

/** `SHA256SUMS` over the files that people download, in the form that `sha256sum --check` reads. */
export function writeChecksums(folder) {
  const files = readdirSync(folder).filter(
    // electron-builder leaves notes of its own.
    (name) => name !== 'SHA256SUMS' && !name.startsWith('builder-') && statSync(join(folder, name)).isFile(),
  )
  const digest = (name) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  writeFileSync(
    join(folder, 'SHA256SUMS'),
    files
      .sort()
      .map((name) => `${digest(name)}  ${name}\n`)
      .join(''),
  )
}
