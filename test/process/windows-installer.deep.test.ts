import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { findProgram, nsisTools } from '../support/packaging/builder-tools.ts'
import { electronStandInForWindows } from '../support/packaging/electron-stand-in.ts'
import { isPossible } from '../support/possible.ts'
import { cleanEnv, root, scratch } from '../support/server-process.ts'

const run = promisify(execFile)
const here = scratch()
const has7z = isPossible(
  ['makensis', '7za', '7z'].every(findProgram),
  'no Windows installer is made, because makensis (nsis) or 7z (p7zip-full) is not installed.',
)

/** The texts and the script of an installer. They are in the compressed header after the NSIS signature. */
function headerOf(program: Buffer): string {
  const mark = program.indexOf(Buffer.from('\xef\xbe\xad\xdeNullsoftInst', 'latin1'))
  const at = mark + 24
  const size = program.readUInt32LE(at) & 0x7fffffff
  return inflateRawSync(program.subarray(at + 4, at + 4 + size)).toString('utf16le')
}

describe.runIf(has7z && process.platform === 'linux')('the installer for Windows', () => {
  const release = here.path('release')
  const installer = join(release, 'Deskforge-Setup-0.1.0.exe')
  const content = here.path('content')
  let log: string
  let files = ''

  beforeAll(async () => {
    const env = cleanEnv({
      ELECTRON_DIST: electronStandInForWindows(here.path('electron')),
      DESKFORGE_BUNDLED_GIT: 'none',
      // The test does not need the smallest file, so it uses less compression.
      ELECTRON_BUILDER_COMPRESSION_LEVEL: '1',
      ...nsisTools(here.path('tools')),
    })
    const output = `--config.directories.output=${release}`
    const args = [join(root, 'scripts/pack.mjs'), '--win', 'nsis', 'zip', '--x64', '--arm64', output]
    const packed = await run(process.execPath, args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 })
    log = packed.stdout + packed.stderr
    await run('7z', ['x', '-y', `-o${content}`, installer])
    for (const arch of ['64', 'arm64'])
      files += (await run('7z', ['l', '-slt', join(content, `$PLUGINSDIR/app-${arch}.7z`)])).stdout
  }, 300_000)
  afterAll(() => here.clear())

  it("is built from electron-builder's template, for the current user only", () => {
    expect(log).toContain('target=nsis')
    expect(log).toContain('oneClick=true perMachine=false')
    const manifest = readFileSync(installer).toString('latin1')
    expect(manifest).toContain('requestedExecutionLevel level="asInvoker"')
  })

  it('contains the application, its archive and the binary for Windows, for both processors', () => {
    const paths = [...files.matchAll(/^Path = (.+)$/gm)].map((match) => match[1])
    expect(paths).toEqual(
      expect.arrayContaining(['Deskforge.exe', 'resources/app.asar', 'LICENSE.electron.txt']),
    )
    const native = paths.filter((path) => path?.endsWith('.node'))
    expect(native).toEqual(
      ['x64', 'arm64'].map(
        (arch) => `resources/app.asar.unpacked/node_modules/better-sqlite3/prebuilds/win32-${arch}.node`,
      ),
    )
  })

  it('has the icon, the name and the id of the application', () => {
    const program = readFileSync(join(release, 'win-unpacked/Deskforge.exe'))
    // The program contains each picture of the icon, unchanged.
    const icon = readFileSync(join(root, 'build/icon.ico'))
    const pictures = Array.from({ length: icon.readUInt16LE(4) }, (_, at) => {
      const entry = 6 + 16 * at
      const start = icon.readUInt32LE(entry + 12)
      return icon.subarray(start, start + icon.readUInt32LE(entry + 8))
    })
    expect(pictures.length).toBeGreaterThan(3)
    expect(pictures.every((picture) => program.includes(picture))).toBe(true)
    expect(program.includes(Buffer.from('Deskforge\0', 'utf16le'))).toBe(true)
    // The shortcut has the application ID that Windows requires for notifications.
    expect(headerOf(readFileSync(installer)).includes('org.deskforge.desktop')).toBe(true)
  })

  it('is also a zip without an installer', async () => {
    const zips = readdirSync(release).filter((name) => name.endsWith('.zip'))
    expect(zips.sort()).toEqual(['Deskforge-0.1.0-arm64-win.zip', 'Deskforge-0.1.0-win.zip'])
    for (const name of zips) {
      const { stdout } = await run('7z', ['l', '-slt', join(release, name)])
      expect(stdout).toMatch(/^Path = Deskforge\.exe$/m)
      expect(stdout).toMatch(/^Path = resources[/\\]app\.asar$/m)
    }
  })

  it('requires the bundled git for Windows', () => {
    const folder = join(root, 'build/git/win-x64')
    // Without the git, electron-builder reports the missing folder.
    const isFound = existsSync(folder)
      ? files.includes('resources/git/')
      : log.includes(`file source doesn't exist  from=${folder}`)
    expect(isFound).toBe(true)
  })

  it('has an uninstaller that asks about the data', () => {
    const question = 'Remove the data of Deskforge as well?'
    // The assertion does not compare the texts, because a failure would print those of forty languages.
    const asks = (program: string) => headerOf(readFileSync(program)).includes(question)
    expect(asks(join(content, '$R0/Uninstall Deskforge.exe'))).toBe(true)
    expect(asks(installer)).toBe(false)
  })

  it('is listed for updates with its checksum', () => {
    const list = JSON.parse(readFileSync(join(release, 'latest.yml'), 'utf8')) as { files: { url: string }[] }
    expect(list.files.map((file) => file.url)).toEqual(['Deskforge-Setup-0.1.0.exe'])
    expect(readFileSync(join(release, 'SHA256SUMS'), 'utf8')).toContain('Deskforge-Setup-0.1.0.exe')
  })
})

const signer = isPossible(
  ['osslsigncode', 'openssl', '7za'].every(findProgram),
  'no program for Windows is signed, because osslsigncode, openssl or 7za (p7zip-full) is not installed.',
)

describe.runIf(signer && process.platform === 'linux')('a program for Windows', () => {
  const folder = scratch()
  afterAll(() => folder.clear())

  it('is signed if the environment names a certificate', async () => {
    const [key, certificate, both] = ['key.pem', 'certificate.pem', 'both.p12'].map(folder.path) as [
      string,
      string,
      string,
    ]
    const uses = ['-addext', 'extendedKeyUsage=codeSigning', '-addext', 'keyUsage=digitalSignature']
    const subject = ['-subj', '/CN=The Deskforge developers', '-days', '2', ...uses]
    await run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      ...subject,
    ])
    await run('openssl', [
      'pkcs12',
      '-export',
      '-inkey',
      key,
      '-in',
      certificate,
      '-out',
      both,
      '-passout',
      'pass:secret',
    ])
    const env = cleanEnv({
      ELECTRON_DIST: electronStandInForWindows(folder.path('electron')),
      DESKFORGE_BUNDLED_GIT: 'none',
      CSC_LINK: both,
      CSC_KEY_PASSWORD: 'secret',
      ELECTRON_BUILDER_OSSL_SIGNCODE_PATH: findProgram('osslsigncode') as string,
      // The test uses no timestamp server.
      ELECTRON_BUILDER_OFFLINE: 'true',
    })
    const output = `--config.directories.output=${folder.path('release')}`
    const args = [join(root, 'scripts/pack.mjs'), '--win', '--dir', '--x64', output]
    await run(process.execPath, args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 })
    const program = folder.path('release/win-unpacked/Deskforge.exe')
    const { stdout } = await run('osslsigncode', ['verify', '-in', program, '-CAfile', certificate])
    expect(stdout).toContain('CN=The Deskforge developers')
    expect(stdout).toContain('Signature verification: ok')
    // The signature of a changed program is invalid.
    const changed = readFileSync(program)
    changed[changed.length >> 2] = (changed[changed.length >> 2] ?? 0) ^ 1
    writeFileSync(program, changed)
    await expect(
      run('osslsigncode', ['verify', '-in', program, '-CAfile', certificate]),
    ).rejects.toMatchObject({
      code: 1,
    })
  }, 300_000)
})
