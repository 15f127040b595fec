import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
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

/** The texts and the script of an installer: the header after NSIS's mark, which is compressed. */
function headerOf(program: Buffer): string {
  const mark = program.indexOf(Buffer.from('\xef\xbe\xad\xdeNullsoftInst', 'latin1'))
  const at = mark + 24
  const size = program.readUInt32LE(at) & 0x7fffffff
  return inflateRawSync(program.subarray(at + 4, at + 4 + size)).toString('utf16le')
}

describe.runIf(has7z && process.platform === 'linux')('the installer for Windows', () => {
  const release = here.path('release')
  const installer = join(release, 'Deskforge Setup 0.1.0.exe')
  const content = here.path('content')
  let log: string
  let files: string

  beforeAll(async () => {
    const env = cleanEnv({
      ELECTRON_DIST: electronStandInForWindows(here.path('electron')),
      DESKFORGE_BUNDLED_GIT: 'none',
      // The smallest file is not wanted here.
      ELECTRON_BUILDER_COMPRESSION_LEVEL: '1',
      ...nsisTools(here.path('tools')),
    })
    const output = `--config.directories.output=${release}`
    const args = [join(root, 'scripts/pack.mjs'), '--win', 'nsis', '--x64', output]
    const packed = await run(process.execPath, args, { cwd: root, env, maxBuffer: 64 * 1024 * 1024 })
    log = packed.stdout + packed.stderr
    await run('7z', ['x', '-y', `-o${content}`, installer])
    files = (await run('7z', ['l', '-slt', join(content, '$PLUGINSDIR/app-64.7z')])).stdout
  }, 300_000)
  afterAll(() => here.clear())

  it("is made by electron-builder's own template, for the user alone", () => {
    expect(log).toContain('target=nsis')
    expect(log).toContain('oneClick=true perMachine=false')
    const manifest = readFileSync(installer).toString('latin1')
    expect(manifest).toContain('requestedExecutionLevel level="asInvoker"')
  })

  it('contains the application, its archive and the binary for Windows', () => {
    const paths = [...files.matchAll(/^Path = (.+)$/gm)].map((match) => match[1])
    expect(paths).toEqual(
      expect.arrayContaining(['Deskforge.exe', 'resources/app.asar', 'LICENSE.electron.txt']),
    )
    const native = paths.filter((path) => path?.endsWith('.node'))
    expect(native).toEqual([
      'resources/app.asar.unpacked/node_modules/better-sqlite3/prebuilds/win32-x64.node',
    ])
  })

  it('would bring the git for Windows', () => {
    const folder = join(root, 'build/git/win-x64')
    // Without it, electron-builder names the folder that it looked for.
    const isFound = existsSync(folder)
      ? files.includes('resources/git/')
      : log.includes(`file source doesn't exist  from=${folder}`)
    expect(isFound).toBe(true)
  })

  it('has an uninstaller that asks about the data', () => {
    const question = 'Remove the data of Deskforge as well?'
    // Not the texts themselves: a failure would print those of forty languages.
    const asks = (program: string) => headerOf(readFileSync(program)).includes(question)
    expect(asks(join(content, '$R0/Uninstall Deskforge.exe'))).toBe(true)
    expect(asks(installer)).toBe(false)
  })

  it('is listed for updates with its checksum', () => {
    const list = JSON.parse(readFileSync(join(release, 'latest.yml'), 'utf8')) as { files: { url: string }[] }
    expect(list.files.map((one) => one.url)).toEqual(['Deskforge Setup 0.1.0.exe'])
    expect(readFileSync(join(release, 'SHA256SUMS'), 'utf8')).toContain('Deskforge Setup 0.1.0.exe')
  })
})
