import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { pack, type Header } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import {
  unpackArchive,
  type UnpackCallbacks,
  ArchiveProblem,
} from '../../../../server/domains/import_export/archive/unpack.ts'
import { writeArchive, type ArchiveEntry } from '../../../../server/domains/import_export/archive/write.ts'

const FREE = { maxBytes: 0, timeoutMs: 0 }
let folder = ''
let count = 0

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'archive-'))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function tarOf(
  entries: readonly (Partial<Header> & { name: string } & { content?: string | Buffer })[],
): Promise<Buffer> {
  const tar = pack()
  for (const { content, ...head } of entries) tar.entry(head, content ?? '')
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function fileOf(bytes: Buffer): string {
  const path = join(folder, `${(count += 1)}.tar.gz`)
  writeFileSync(path, bytes)
  return path
}

const fresh = (): string => join(folder, `out-${(count += 1)}`)

async function refusal(bytes: Buffer, limits = FREE, watch: UnpackCallbacks = {}): Promise<string> {
  const out = fresh()
  const error: unknown = await unpackArchive(fileOf(bytes), out, limits, watch).catch(
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ArchiveProblem)
  expect(existsSync(out)).toBe(false)
  return (error as Error).message
}

const plain = (name: string, content = 'x') => ({ name, content })

describe('archives', () => {
  test('are written and unpacked with files that only their owner can read', async () => {
    const long = `${'d'.repeat(120)}/${'ü'.repeat(100)}.txt`
    const large = join(folder, 'large')
    writeFileSync(large, Buffer.alloc(700_000, 'abc'))
    async function* entries(): AsyncGenerator<ArchiveEntry> {
      yield { name: 'VERSION', bytes: '0.2.4' }
      yield { name: 'tree/project/issues.ndjson', file: large }
      yield { name: long, bytes: '' }
    }
    const target = join(folder, 'made.tar.gz')
    let total = 0
    const { size } = await writeArchive(target, entries(), { onBytes: (bytes) => (total += bytes) })
    expect(total).toBe(700_005)
    expect(statSync(target)).toMatchObject({ size })
    expect(statSync(target).mode & 0o777).toBe(0o600)
    const out = fresh()
    let seen = 0
    const done = await unpackArchive(target, out, FREE, { onBytes: (bytes) => (seen = bytes) })
    expect(done).toEqual({ files: 3, bytes: 700_005 })
    expect(seen).toBe(size)
    expect(readFileSync(join(out, 'VERSION'), 'utf8')).toBe('0.2.4')
    expect(readFileSync(join(out, 'tree/project/issues.ndjson')).equals(readFileSync(large))).toBe(true)
    expect(statSync(join(out, long))).toMatchObject({ size: 0 })
    expect(statSync(join(out, 'VERSION')).mode & 0o777).toBe(0o600)
  })

  test('are not written if the writer is aborted or an entry cannot be read', async () => {
    const target = join(folder, 'ended.tar.gz')
    const controller = new AbortController()
    function* ending(): Generator<ArchiveEntry> {
      yield { name: 'one', bytes: 'x' }
      controller.abort(new Error('ended'))
      yield { name: 'two', bytes: 'x' }
    }
    await expect(writeArchive(target, ending(), { signal: controller.signal })).rejects.toThrow('ended')
    await expect(writeArchive(target, [{ name: 'gone', file: join(folder, 'nothing') }])).rejects.toThrow(
      'The archive does not exist.',
    )
    expect(existsSync(target)).toBe(false)
  })

  test.each([
    ['/etc/passwd', 'The archive contains an absolute path.'],
    ['C:/windows', 'The archive contains an absolute path.'],
    ['../outside', 'The archive contains a path that points outside of it.'],
    ['./tree/../../outside', 'The archive contains a path that points outside of it.'],
    ['tree\\..\\outside', 'The archive contains a path that points outside of it.'],
    ['tree/line\nbreak', 'The archive contains a name that cannot be used.'],
    ['tree/ /x', 'The archive contains a name that cannot be used.'],
    [`tree/${'x'.repeat(300)}`, 'The archive contains a name that is too long.'],
    ['a/'.repeat(100) + 'x', 'The archive contains a name that is too long.'],
  ])('with the name %j are refused', async (name, sentence) => {
    expect(await refusal(gzipSync(await tarOf([plain('VERSION'), plain(name)])))).toBe(sentence)
  })

  test('are unpacked without links inside of them, and refused with other links', async () => {
    const link = (name: string, linkname: string, type: Header['type'] = 'symlink') => ({
      name,
      linkname,
      type,
    })
    const out = fresh()
    await unpackArchive(
      fileOf(gzipSync(await tarOf([plain('VERSION'), link('tree/x', '../VERSION')] as never))),
      out,
      FREE,
    )
    expect(readdirSync(out)).toEqual(['VERSION'])
    for (const target of ['/etc/passwd', '../../etc/passwd', 'a/../../x'])
      expect(await refusal(gzipSync(await tarOf([link('x', target)] as never)))).toBe(
        'The archive contains a link that points outside of it.',
      )
    for (const type of ['link', 'character-device', 'block-device', 'fifo'] as const)
      expect(await refusal(gzipSync(await tarOf([link('x', 'VERSION', type)] as never)))).toBe(
        'The archive contains a link or a device.',
      )
  })

  test('with the same name twice are refused', async () => {
    const twice = 'The archive contains the same name twice.'
    expect(await refusal(gzipSync(await tarOf([plain('a'), plain('./a')])))).toBe(twice)
    expect(await refusal(gzipSync(await tarOf([plain('a'), plain('a/b')])))).toBe(twice)
    expect(await refusal(gzipSync(await tarOf([plain('a/b'), plain('a')])))).toBe(twice)
  })

  test('that are truncated, damaged or another kind of file are refused', async () => {
    const tar = await tarOf([plain('VERSION'), plain('big', 'y'.repeat(100_000))])
    const whole = gzipSync(tar)
    expect(await refusal(whole.subarray(0, whole.length - 20))).toBe('The archive is cut off.')
    expect(await refusal(whole.subarray(0, 30))).toBe('The archive is cut off.')
    expect(await refusal(gzipSync(tar.subarray(0, 5000)))).toBe('The archive is cut off.')
    expect(await refusal(gzipSync(tar.subarray(0, 1300)))).toBe('The archive is cut off.')
    expect(await refusal(tar)).toBe('The file is not a gzip archive.')
    expect(await refusal(Buffer.alloc(0))).toBe('The file is not a gzip archive.')
    expect(await refusal(gzipSync(Buffer.alloc(0)))).toBe('The archive is empty.')
    expect(await refusal(gzipSync(Buffer.from('no tar'.repeat(1000))))).toBe('The archive is damaged.')
    const damaged = Buffer.from(whole)
    damaged.fill(0x55, 20, 40)
    expect(await refusal(damaged)).toMatch(/damaged|cut off/)
    const wrongSum = Buffer.from(whole)
    wrongSum.writeUInt32LE(1, wrongSum.length - 8)
    expect(await refusal(wrongSum)).toBe('The archive is damaged.')
  })

  test('with too much data, with too many files or that take too long are refused', async () => {
    const tar = await tarOf([plain('a', 'x'.repeat(600)), plain('b', 'x'.repeat(600))])
    expect(await refusal(gzipSync(tar), { ...FREE, maxBytes: 1000 })).toBe(
      'The archive is too large when it is unpacked.',
    )
    expect(await refusal(gzipSync(tar), { ...FREE, maxEntries: 1 } as never)).toBe(
      'The archive contains too many files.',
    )
    // The header declares a size without content.
    const lying = (await tarOf([plain('a', 'x')])).subarray(0, 1024)
    lying.write('77777777777\0', 124, 'latin1')
    lying.write('        ', 148, 'latin1')
    const sum = lying.subarray(0, 512).reduce((total, byte) => total + byte, 0)
    lying.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
    expect(await refusal(gzipSync(lying))).toBe('The archive unpacks to far more data than its size allows.')
    // The data follows the end of the archive.
    const tail = Buffer.concat([await tarOf([plain('a', 'x')]), Buffer.alloc(300 * 1024 ** 2)])
    expect(await refusal(gzipSync(tail))).toMatch(/far more data than its size allows|damaged/)
    const endless = await tarOf([plain('a', Buffer.alloc(20_000_000).toString('latin1'))])
    expect(await refusal(gzipSync(endless), { ...FREE, timeoutMs: 1 })).toBe(
      'Unpacking the archive takes too long.',
    )
  })

  test('with a header of many megabytes are refused', async () => {
    const tar = await tarOf([{ name: 'x', pax: { comment: 'y'.repeat(200_000) }, content: '' } as never])
    expect(await refusal(gzipSync(tar))).toBe('The archive contains a name that is too long.')
  })

  test('leave no files when unpacking is aborted', async () => {
    const out = fresh()
    const file = fileOf(gzipSync(await tarOf([plain('a', 'x'.repeat(1_000_000))])))
    const signal = AbortSignal.abort(new Error('ended'))
    await expect(unpackArchive(file, out, FREE, { signal })).rejects.toThrow('ended')
    expect(existsSync(out)).toBe(false)
  })
})
