import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPossible } from '../support/possible.ts'

import { findBrowser } from '../../scripts/lib/browser.mjs'
import { appImageTools, findProgram } from '../support/packaging/builder-tools.ts'
import { electronStandIn, FUSES } from '../support/packaging/electron-stand-in.ts'
import { bootServer, unpackArchive } from '../support/packaging/packed.ts'
import { cleanEnv, root, scratch } from '../support/server-process.ts'

const run = promisify(execFile)

const here = scratch()
const hasImage = isPossible(
  ['mksquashfs', 'unsquashfs', 'desktop-file-validate'].every(findProgram),
  'no AppImage is made, because mksquashfs (squashfs-tools) or desktop-file-validate is not installed.',
)
const hasTar =
  hasImage &&
  isPossible(
    findProgram('7za') !== undefined,
    'no tar.gz is made, because 7za (p7zip-full) is not installed.',
  )
const appDir = hasImage ? here.path('appdir') : here.path('release/linux-unpacked')
const resources = join(appDir, 'resources')
const unpacked = here.path('unpacked')
const binary = `prebuilds/linux-${process.arch}.node`
let files: string[]
let log: string

/**
 * Packs an AppImage like a release, with a stand-in for the Electron distribution, and unpacks both archives. Without the
 * tools for an AppImage, it only packs the folder.
 */
async function packAndUnpack(): Promise<void> {
  // electron-builder writes no log if the environment has the variables of a test runner.
  const env = cleanEnv({
    ELECTRON_DIST: electronStandIn(here.path('electron')),
    DESKFORGE_BUNDLED_GIT: 'none',
    ...(hasImage ? appImageTools(here.path('tools')) : {}),
    ...(hasTar ? { ELECTRON_BUILDER_7ZIP_PATH: findProgram('7za') as string } : {}),
  })
  const output = `--config.directories.output=${here.path('release')}`
  const target = hasImage ? ['AppImage', ...(hasTar ? ['tar.gz'] : [])] : ['--dir']
  const args = [join(root, 'scripts/pack.mjs'), '--linux', ...target, `--${process.arch}`, output]
  const { stdout, stderr } = await run(process.execPath, args, {
    cwd: root,
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
  log = stdout + stderr
  if (hasImage) {
    const image = readdirSync(here.path('release')).find((name) => name.endsWith('.AppImage')) as string
    // The start of this AppImage unpacks it.
    await run(here.path(`release/${image}`), [appDir])
  }
  files = await unpackArchive(resources, unpacked)
}

describe.runIf(
  isPossible(process.platform === 'linux', 'the stand-in Electron distribution is shaped for Linux.'),
)('the packed application', () => {
  beforeAll(packAndUnpack, 300_000)
  afterAll(() => here.clear())

  it('was packed without a download and without compiling', () => {
    expect(log).toContain('using custom unpacked Electron distribution')
    expect(log).not.toMatch(/downloading/i)
    expect(log).toContain('npmRebuild is set to false')
  })

  it('contains one native binary, for its platform, outside the archive', () => {
    const native = files.filter((file) => file.endsWith('.node'))
    expect(native).toEqual([`/node_modules/better-sqlite3/${binary}`])
    expect(existsSync(join(resources, 'app.asar.unpacked/node_modules/better-sqlite3', binary))).toBe(true)
    const found = readdirSync(appDir, { recursive: true, encoding: 'utf8' })
    expect(found.filter((file) => file.endsWith('.node'))).toHaveLength(1)
  })

  it('contains the bundles and one package, and no sources, tests or Node', () => {
    const modules = files.flatMap((file) => /^\/node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(file)?.[1] ?? [])
    expect(modules).toEqual(['better-sqlite3'])
    const top = files.filter((file) => file.lastIndexOf('/') === 0).sort()
    expect(top).toEqual(['/dist', '/node_modules', '/package.json'])
    expect(files.filter((file) => /\.(ts|map|cpp|vue)$|\/(src|deps|test)\//.test(file))).toEqual([])
    expect(files).toContain('/dist/renderer/index.html')
    expect(files).toContain('/dist/server/assets/standalone.js')
  })

  it('has the Electron fuses of the security checklist', () => {
    const program = readFileSync(join(appDir, 'deskforge'), 'latin1')
    const wire = program.slice(program.indexOf(FUSES) + FUSES.length + 2)
    // One digit for each fuse: run as Node, cookie encryption, NODE_OPTIONS, inspector, asar integrity and only from asar.
    // The next one, for the snapshot, may have any value. The last one is for file privileges.
    expect(wire.slice(0, 6)).toBe('110011')
    expect(wire.charAt(7)).toBe('0')
  })

  it.runIf(hasImage)('has a valid desktop file with the scheme, and starts inside the sandbox', async () => {
    const file = join(appDir, 'org.deskforge.desktop.desktop')
    await run('desktop-file-validate', [file])
    const entry = readFileSync(file, 'utf8')
    expect(entry).toMatch(/^Exec=AppRun %U$/m)
    expect(entry).toMatch(/^MimeType=x-scheme-handler\/deskforge;$/m)
    const icon = /^Icon=(.+)$/m.exec(entry)?.[1] ?? ''
    for (const path of ['AppRun', '.DirIcon', `${icon}.png`])
      expect(statSync(join(appDir, path)).size, path).toBeGreaterThan(0)
    expect(statSync(join(appDir, 'AppRun')).mode & 0o111).toBe(0o111)
  })

  it.runIf(
    hasImage && isPossible(findProgram('appstreamcli') !== undefined, 'appstreamcli is not installed.'),
  )('has AppStream data that match its desktop file', async () => {
    const { stdout } = await run('appstreamcli', ['validate-tree', '--no-net', appDir])
    expect(stdout).toContain('Validation was successful')
  })

  it.runIf(hasTar)('is a tar.gz as well, with the program to start in its only folder', async () => {
    const name = readdirSync(here.path('release')).find((name) => name.endsWith('.tar.gz')) as string
    const { stdout } = await run('tar', ['-tzvf', here.path(`release/${name}`)])
    const folder = name.replace(/\.tar\.gz$/, '')
    const entries = stdout.trim().split('\n')
    expect(entries.filter((line) => !line.includes(` ${folder}/`))).toEqual([])
    expect(entries.find((line) => line.endsWith(`${folder}/deskforge`))).toMatch(/^-rwxr-xr-x/)
    expect(entries.some((line) => line.endsWith(`${folder}/resources/app.asar`))).toBe(true)
  })

  it('reports missing tools, and lists its components with checksums', () => {
    expect(log).toContain('have no git of their own: they were asked for without')
    const sums = readFileSync(here.path('release/SHA256SUMS'), 'utf8')
    expect(sums).toContain('components.cdx.json')
    const { components } = JSON.parse(readFileSync(here.path('release/components.cdx.json'), 'utf8')) as {
      components: { name: string }[]
    }
    expect(components.map((component) => component.name)).toEqual(
      expect.arrayContaining(['better-sqlite3', 'electron']),
    )
  })

  it('starts with the shell', () => {
    const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >
    expect(manifest['main']).toBe('dist/electron/main.js')
    expect(manifest['type']).toBe('module')
    expect(files).toContain('/dist/electron/main.js')
    expect(files).toContain('/dist/electron/icons/tray.png')
  })

  it('keeps electron and better-sqlite3 out of its main and preload bundles', () => {
    const main = readFileSync(join(unpacked, 'dist/electron/main.js'), 'utf8')
    const preload = readFileSync(join(unpacked, 'dist/electron/preload.cjs'), 'utf8')
    // Expects module names only, so that a failure does not print a bundle.
    const imported = (code: string) =>
      [...code.matchAll(/\bfrom\s*["'`]([^"'`]+)["'`]/g)].map((match) => match[1])
    const required = (code: string) =>
      [...code.matchAll(/\brequire\(\s*["'`]([^"'`]+)["'`]\s*\)/g)].map((match) => match[1])
    expect(imported(main)).toContain('electron')
    expect(imported(main)).toContain('better-sqlite3')
    expect(new Set(required(preload))).toEqual(new Set(['electron']))
    for (const bundle of [main, preload]) {
      // Texts from the code of the two packages: the downloader of one, and the loader of the other.
      expect(/Downloading Electron binary|getPrebuildPath|install-electron/.test(bundle)).toBe(false)
    }
    expect(/\bimport\b[^(]*from/.test(preload)).toBe(false)
  })

  it('has a server that runs under Node', async () => {
    await bootServer(unpacked, here, here.path('data'))
  })

  it.runIf(isPossible(findBrowser() !== undefined, 'there is no Chromium for the stand-in of Electron.'))(
    'opens its window on the first run, like the manual test of a release',
    async () => {
      const folder = join(here.path('launched'), `linux${process.arch === 'arm64' ? '-arm64' : ''}-unpacked`)
      mkdirSync(folder, { recursive: true })
      const register = join(root, 'test/shell/electron/register.ts')
      const main = join(unpacked, 'dist/electron/main.js')
      const program = `#!/bin/sh\nexec '${process.execPath}' --import '${register}' '${main}' "$@"\n`
      writeFileSync(join(folder, 'deskforge'), program, { mode: 0o755 })
      const launch = () =>
        run(process.execPath, [join(root, 'scripts/launch-packed.mjs'), here.path('launched')], {
          env: cleanEnv({ DESKFORGE_CHROMIUM: findBrowser() }),
        })
      expect((await launch()).stdout).toContain('starts and shows the first run.')
      writeFileSync(join(folder, 'deskforge'), '#!/bin/sh\necho A library is missing\nexit 127\n')
      await expect(launch()).rejects.toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/does not start: it ended with 127\.\nA library is missing/),
      })
    },
    180_000,
  )
})
