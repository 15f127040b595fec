import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  createWriteStream,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ZipFile } from 'yazl'

import { collect, type Selection } from '../../../server/domains/ci/built_in_runner/files/collect.ts'
import { bytesOf, gzipOf, zipOf } from '../../../server/domains/ci/built_in_runner/files/pack.ts'
import { unpack } from '../../../server/lib/archive/zip-unpack.ts'

const root = mkdtempSync(join(tmpdir(), 'deskforge-files-'))
const project = join(root, 'project')
const env = { PATH: process.env['PATH']! }
const BIG = 'x'.repeat(300_000)

beforeAll(() => {
  for (const [path, text] of Object.entries({
    'a.txt': 'a',
    'out/one.txt': 'one',
    'out/deep/two.txt': 'two',
    'out/deep/er/three.log': BIG,
    'out/.hidden': 'h',
    'lib/x.js': 'x',
  })) {
    mkdirSync(join(project, path, '..'), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  chmodSync(join(project, 'a.txt'), 0o755)
  symlinkSync('one.txt', join(project, 'out/link'))
  symlinkSync('/etc', join(project, 'out/etc'))
  writeFileSync(join(root, 'outside'), 'outside')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const found = async (selection: Partial<Selection>): Promise<string> =>
  (await collect(project, { paths: [], ...selection }, env)).files.join(' ')

describe('files of a job', () => {
  it('are found by paths, folders and patterns', async () => {
    expect(await found({ paths: ['a.txt'] })).toBe('a.txt')
    expect(await found({ paths: ['./out/deep/'] })).toBe('out/deep/er/three.log out/deep/two.txt')
    expect(await found({ paths: [join(project, 'lib')] })).toBe('lib/x.js')
    expect(await found({ paths: ['out/*.txt'] })).toBe('out/one.txt')
    expect(await found({ paths: ['**/*.txt'] })).toBe('a.txt out/deep/two.txt out/one.txt')
    expect(await found({ paths: ['out/d*'] })).toBe('out/deep/er/three.log out/deep/two.txt')
    expect(await found({ paths: ['{lib,none}/**'] })).toBe('lib/x.js')
    expect(await found({ paths: ['out'], exclude: ['out/deep/**', 'out/etc'] })).toBe(
      'out/.hidden out/link out/one.txt',
    )
    expect(await found({ paths: ['.'], exclude: ['**/*.txt', 'out/**'] })).toBe('lib/x.js')
  })

  it('are never found outside of the project', async () => {
    for (const path of [
      '..',
      '../outside',
      'out/../../outside',
      '/etc/passwd',
      'out/etc/passwd',
      'out/etc/*',
      'none',
      '',
    ])
      expect([path, await found({ paths: path === '' ? [] : [path] })]).toEqual([path, ''])
    const { notes } = await collect(project, { paths: ['none/*', 'a.txt'] }, env)
    expect(notes).toEqual([
      expect.stringContaining('WARNING: none/*: no matching files'),
      'a.txt: found 1 matching artifact files and directories',
    ])
  })

  it('are the same after packing and unpacking', async () => {
    const archive = join(root, 'all.zip')
    const { files } = await collect(project, { paths: ['.'] }, env)
    await pipeline(zipOf(project, [...files, 'vanished']), createWriteStream(archive))
    const to = join(root, 'to')
    mkdirSync(join(to, 'out'), { recursive: true })
    symlinkSync(join(root, 'outside'), join(to, 'out/one.txt'))
    expect(await unpack(archive, to)).toBe(files.length)
    expect(readFileSync(join(to, 'out/deep/er/three.log'), 'utf8')).toBe(BIG)
    // The umask decides whether other users may run it.
    expect(statSync(join(to, 'a.txt')).mode & 0o100).toBe(0o100)
    expect(readlinkSync(join(to, 'out/link'))).toBe('one.txt')
    // An existing link was replaced, and its target is unchanged.
    expect(lstatSync(join(to, 'out/one.txt')).isFile()).toBe(true)
    expect(readFileSync(join(root, 'outside'), 'utf8')).toBe('outside')
    expect(gunzipSync(await buffer(gzipOf(project, ['a.txt', 'out/one.txt']))).toString()).toBe('aone')
  })

  it('skip named pipes, and symbolic links of reports', async () => {
    const odd = join(root, 'odd')
    mkdirSync(odd)
    execFileSync('mkfifo', [join(odd, 'pipe')])
    symlinkSync('pipe', join(odd, 'to-pipe'))
    symlinkSync('nowhere', join(odd, 'to-nothing'))
    symlinkSync('/etc/hostname', join(odd, 'to-elsewhere'))
    writeFileSync(join(odd, 'plain'), 'plain')
    const names = ['gone', 'pipe', 'plain', 'to-elsewhere', 'to-nothing', 'to-pipe']
    expect(gunzipSync(await buffer(gzipOf(odd, names))).toString()).toBe('plain')
    for (const name of names)
      expect((await buffer(bytesOf(join(odd, name)))).toString()).toBe(name === 'plain' ? 'plain' : '')
    await buffer(zipOf(odd, names))
    expect((await collect(odd, { paths: ['pipe', 'p*'] }, env)).files).toEqual(['plain'])
  })

  it('are not written outside of the project by names or links', async () => {
    const zip = new ZipFile()
    zip.addBuffer(Buffer.from('../away'), 'door', { mode: 0o120777 })
    zip.addBuffer(Buffer.from('evil'), 'door/evil')
    zip.end()
    const archive = join(root, 'door.zip')
    await pipeline(zip.outputStream, createWriteStream(archive))
    mkdirSync(join(root, 'away'))
    mkdirSync(join(root, 'in'))
    await expect(unpack(archive, join(root, 'in'))).rejects.toThrow('is outside of the project')
    expect(existsSync(join(root, 'away/evil'))).toBe(false)
    // The archive library refuses names with `..`, so the test replaces the bytes.
    const climbing = Buffer.from(
      readFileSync(archive).toString('latin1').replaceAll('door/evil', '../evil/x'),
      'latin1',
    )
    writeFileSync(archive, climbing)
    mkdirSync(join(root, 'in2'))
    await expect(unpack(archive, join(root, 'in2'))).rejects.toThrow('invalid relative path')
    expect(existsSync(join(root, 'evil'))).toBe(false)
  })
})
