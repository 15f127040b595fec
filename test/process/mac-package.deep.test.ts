import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

import { identityFor } from '../../scripts/lib/mac-signature.mjs'
import { findProgram } from '../support/packaging/builder-tools.ts'
import { electronStandInForMac, FUSES } from '../support/packaging/electron-stand-in.ts'
import { unpackArchive } from '../support/packaging/packed.ts'
import { isPossible } from '../support/possible.ts'
import { cleanEnv, root, scratch } from '../support/server-process.ts'

const run = promisify(execFile)
const here = scratch()
const release = here.path('release')
const canPack = isPossible(
  process.platform === 'linux' && findProgram('7za') !== undefined,
  'no application for macOS is packed, because 7za (p7zip-full) is not installed or this is not Linux.',
)

/** electron-builder's own reader of property lists. */
const readPlist = (file: string) =>
  (createRequire(import.meta.url)('plist') as { parse(text: string): Record<string, unknown> }).parse(
    readFileSync(file, 'utf8'),
  )

// A disk image, a signature and the notarization need macOS itself.
describe.runIf(canPack)('the application for macOS', () => {
  let log: string

  beforeAll(async () => {
    const env = cleanEnv({
      ELECTRON_DIST: electronStandInForMac(here.path('electron')),
      DESKFORGE_BUNDLED_GIT: 'none',
      ELECTRON_BUILDER_COMPRESSION_LEVEL: '1',
      ELECTRON_BUILDER_7ZIP_PATH: findProgram('7za') as string,
    })
    const output = `--config.directories.output=${release}`
    const args = [join(root, 'scripts/pack.mjs'), '--mac', 'zip', '--x64', '--arm64', output]
    const packed = await run(process.execPath, args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 })
    log = packed.stdout + packed.stderr
  }, 300_000)
  afterAll(() => here.clear())

  describe.each([
    { arch: 'x64', folder: 'mac' },
    { arch: 'arm64', folder: 'mac-arm64' },
  ])('for $arch', ({ arch, folder }) => {
    const contents = join(release, folder, 'Deskforge.app/Contents')

    it('declares its id, its icon, its URL scheme and the folders that can be dropped on it', () => {
      const plist = readPlist(join(contents, 'Info.plist'))
      expect(plist).toMatchObject({
        CFBundleIdentifier: 'org.deskforge.desktop',
        CFBundleName: 'Deskforge',
        CFBundleExecutable: 'Deskforge',
        LSApplicationCategoryType: 'public.app-category.developer-tools',
        CFBundleURLTypes: [{ CFBundleURLName: 'Deskforge', CFBundleURLSchemes: ['deskforge'] }],
        CFBundleDocumentTypes: [{ LSItemContentTypes: ['public.folder'], LSHandlerRank: 'Alternate' }],
        ElectronAsarIntegrity: { 'Resources/app.asar': { algorithm: 'SHA256' } },
      })
      const icon = readFileSync(join(contents, 'Resources', String(plist['CFBundleIconFile'])))
      expect(icon.equals(readFileSync(join(root, 'build/icon.icns')))).toBe(true)
    })

    it('contains the native binary for its processor only, and the shell', async () => {
      const files = await unpackArchive(join(contents, 'Resources'), here.path(`unpacked-${arch}`))
      const native = files.filter((file) => file.endsWith('.node'))
      expect(native).toEqual([`/node_modules/better-sqlite3/prebuilds/darwin-${arch}.node`])
      expect(files).toContain('/dist/electron/icons/trayTemplate.png')
    })

    it('has the Electron fuses of the security checklist', () => {
      const framework = join(contents, 'Frameworks/Electron Framework.framework/Electron Framework')
      const program = readFileSync(framework, 'latin1')
      const wire = program.slice(program.indexOf(FUSES) + FUSES.length + 2)
      expect(wire.slice(0, 6)).toBe('110011')
      expect(wire.charAt(7)).toBe('0')
    })

    it('is a zip that keeps the symbolic links of the framework, and is listed for updates', async () => {
      const zips = readdirSync(release).filter((name) => name.endsWith('-mac.zip'))
      const zip = zips.find((name) => name.includes('arm64') === (arch === 'arm64')) as string
      const target = here.path(`zip-${arch}`)
      await run('7za', ['x', '-y', `-o${target}`, join(release, zip)])
      const versions = 'Deskforge.app/Contents/Frameworks/Electron Framework.framework/Versions'
      const links = readdirSync(join(target, versions), { withFileTypes: true })
      expect(links.find(({ name }) => name === 'Current')?.isSymbolicLink()).toBe(true)
      const list = JSON.parse(readFileSync(join(release, 'latest-mac.yml'), 'utf8')) as {
        files: { url: string }[]
      }
      expect(list.files.map(({ url }) => url)).toContain(zip)
    })
  })

  it('is signed for the hardened runtime with the required entitlements, and reports why it is not signed here', () => {
    const { mac } = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8')) as {
      mac: { hardenedRuntime: boolean; entitlements: string; entitlementsInherit: string }
    }
    expect(mac.hardenedRuntime).toBe(true)
    expect(mac.entitlementsInherit).toBe(mac.entitlements)
    expect(readPlist(join(root, mac.entitlements))).toEqual({
      'com.apple.security.cs.allow-jit': true,
      'com.apple.security.cs.allow-unsigned-executable-memory': true,
      'com.apple.security.cs.disable-library-validation': true,
    })
    expect(log).toMatch(/skipped macOS (application )?code signing/)
  })

  it('has an ad-hoc signature without a certificate, and otherwise the signature of the certificate', () => {
    expect(identityFor({ CSC_LINK: '' })).toEqual(['--config.mac.identity=-'])
    expect(identityFor({ CSC_LINK: 'certificate.p12' })).toEqual([])
    expect(identityFor({ CSC_NAME: 'Ada Okafor (ABCDE12345)' })).toEqual([])
  })
})
