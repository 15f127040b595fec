import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPossible } from '../support/possible.ts'

import { appImageTools, findProgram } from '../support/packaging/builder-tools.ts'
import { electronStandIn, FUSES } from '../support/packaging/electron-stand-in.ts'
import { cleanEnv, root, scratch } from '../support/server-process.ts'

const run = promisify(execFile)

// electron-builder's own dependency; it has no types of its own here.
interface Asar {
  listPackage(archive: string, options: { isPack: boolean }): string[]
  extractAll(archive: string, target: string): void
}

const here = scratch()
const hasImage = isPossible(
  ['mksquashfs', 'unsquashfs', 'desktop-file-validate'].every(findProgram),
  'no AppImage is made, because mksquashfs (squashfs-tools) or desktop-file-validate is not installed.',
)
const appDir = hasImage ? here.path('appdir') : here.path('release/linux-unpacked')
const resources = join(appDir, 'resources')
const unpacked = here.path('unpacked')
const binary = `prebuilds/linux-${process.arch}.node`
let files: string[]
let log: string

/**
 * Packs an AppImage as a release does, on a distribution that is not one, and takes both archives apart. Without the
 * tools for an AppImage only the folder is packed.
 */
async function packAndUnpack(): Promise<void> {
  // Under a test runner's variables electron-builder keeps its log to itself.
  const env = cleanEnv({
    ELECTRON_DIST: electronStandIn(here.path('electron')),
    DESKFORGE_BUNDLED_GIT: 'none',
    ...(hasImage ? appImageTools(here.path('tools')) : {}),
  })
  const output = `--config.directories.output=${here.path('release')}`
  const target = hasImage ? ['AppImage'] : ['--dir']
  const args = [join(root, 'scripts/pack.mjs'), '--linux', ...target, `--${process.arch}`, output]
  const { stdout, stderr } = await run(process.execPath, args, {
    cwd: root,
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
  log = stdout + stderr
  if (hasImage) {
    const image = readdirSync(here.path('release')).find((name) => name.endsWith('.AppImage')) as string
    // The start of the file takes it apart here.
    await run(here.path(`release/${image}`), [appDir])
  }
  const asar = (await import('@electron/asar' as string)) as Asar
  const archive = join(resources, 'app.asar')
  files = asar.listPackage(archive, { isPack: false }).map((file) => file.replaceAll('\\', '/'))
  asar.extractAll(archive, unpacked)
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

  it('holds one native binary, the one for its platform, outside the archive', () => {
    const native = files.filter((file) => file.endsWith('.node'))
    expect(native).toEqual([`/node_modules/better-sqlite3/${binary}`])
    expect(existsSync(join(resources, 'app.asar.unpacked/node_modules/better-sqlite3', binary))).toBe(true)
    const found = readdirSync(appDir, { recursive: true, encoding: 'utf8' })
    expect(found.filter((file) => file.endsWith('.node'))).toHaveLength(1)
  })

  it('holds the bundles and one package, and neither sources, tests nor a Node of its own', () => {
    const modules = files.flatMap((file) => /^\/node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(file)?.[1] ?? [])
    expect(modules).toEqual(['better-sqlite3'])
    const top = files.filter((file) => file.lastIndexOf('/') === 0).sort()
    expect(top).toEqual(['/dist', '/node_modules', '/package.json'])
    expect(files.filter((file) => /\.(ts|map|cpp|vue)$|\/(src|deps|test)\//.test(file))).toEqual([])
    expect(files).toContain('/dist/renderer/index.html')
    expect(files).toContain('/dist/server/assets/standalone.js')
  })

  it('has the switches of Electron set as the security checklist wants them', () => {
    const program = readFileSync(join(appDir, 'deskforge'), 'latin1')
    const wire = program.slice(program.indexOf(FUSES) + FUSES.length + 2)
    // Run as Node, cookie encryption, no NODE_OPTIONS, no inspector, asar integrity, only from asar, (snapshot), no file privileges.
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
  )('has AppStream data that fit its desktop file', async () => {
    const { stdout } = await run('appstreamcli', ['validate-tree', '--no-net', appDir])
    expect(stdout).toContain('Validation was successful')
  })

  it('names what is missing and lists its components with checksums', () => {
    expect(log).toContain('have no git of their own: they were asked for without')
    const sums = readFileSync(here.path('release/SHA256SUMS'), 'utf8')
    expect(sums).toContain('components.cdx.json')
    const { components } = JSON.parse(readFileSync(here.path('release/components.cdx.json'), 'utf8')) as {
      components: { name: string }[]
    }
    expect(components.map((one) => one.name)).toEqual(expect.arrayContaining(['better-sqlite3', 'electron']))
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
    // Names of modules, so that a failure does not print a bundle.
    const imported = (code: string) =>
      [...code.matchAll(/\bfrom\s*["'`]([^"'`]+)["'`]/g)].map((match) => match[1])
    const required = (code: string) =>
      [...code.matchAll(/\brequire\(\s*["'`]([^"'`]+)["'`]\s*\)/g)].map((match) => match[1])
    expect(imported(main)).toContain('electron')
    expect(imported(main)).toContain('better-sqlite3')
    expect(new Set(required(preload))).toEqual(new Set(['electron']))
    for (const bundle of [main, preload]) {
      // Marks of the two packages' own code: the downloader of one, the loader of the other.
      expect(/Downloading Electron binary|getPrebuildPath|install-electron/.test(bundle)).toBe(false)
    }
    expect(/\bimport\b[^(]*from/.test(preload)).toBe(false)
  })

  it('has a server that starts under Node and answers', async () => {
    const command = [process.execPath, join(unpacked, 'dist/server/cli.js'), 'serve'] as const
    const args = ['--data-dir', here.path('data'), '--port', '0']
    const instance = here.start({ command, args, cwd: here.folder })
    const url = await instance.url
    expect((await fetch(`${url}/-/readiness`)).status).toBe(200)
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('<title>Deskforge</title>')
    expect(await instance.stop()).toMatchObject({ code: 0 })
  })
})
