import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'

import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { tarHeader, tarPadding, TAR_END } from '../../../server/lib/archive/tar-writer.ts'
import { unpack } from '../../../server/domains/backups/thread/unpack.ts'

// Invalid and hostile backups: a restore trusts nothing that the file says.

let here: string
let database: Buffer
let tries = 0

beforeAll(() => {
  here = mkdtempSync(join(tmpdir(), 'deskforge-hostile-'))
  const db = new BetterSqlite3(join(here, 'database'))
  db.exec(
    "CREATE TABLE schema_migrations (name TEXT, applied_at TEXT); INSERT INTO schema_migrations VALUES ('1', '')",
  )
  db.close()
  database = readFileSync(join(here, 'database'))
})

afterAll(() => rmSync(here, { recursive: true, force: true }))

interface Entry {
  name: string
  content?: Buffer | string
  /** Sets byte 156 of the header; `2` is a link. */
  type?: string
  kind?: 'folder'
  digest?: string
}

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

/** Builds an archive from its head, the database and these entries. The checksums match unless the test sets others. */
function archive(
  entries: Entry[],
  head: object = {},
  more: { database?: Buffer; end?: Buffer; sums?: string } = {},
): Buffer {
  const db = more.database ?? database
  const bytes = entries.reduce((sum, { content = '' }) => sum + Buffer.byteLength(content), db.length)
  const about = {
    format: 1,
    app_version: '15',
    schema: '1',
    created_at: '2026-01-01T00:00:00.000Z',
    files: entries.length + 1,
    bytes,
    counts: {},
    storages: ['default'],
    notice: '',
    ...head,
  }
  const all: Entry[] = [
    { name: 'deskforge-backup.json', content: JSON.stringify(about) },
    { name: 'database.sqlite', content: db },
    ...entries,
  ]
  const lines = all.map(({ name, content = '', digest }) => `${digest ?? sha256(content)} ${name}\n`).join('')
  const sums = more.sums ?? `${lines}end ${all.length} ${bytes}\n`
  const blocks = [...all, { name: 'checksums', content: sums }].map(block)
  return Buffer.concat([...blocks, more.end ?? TAR_END])
}

function block({ name, content = '', type, kind }: Entry): Buffer {
  const bytes = Buffer.from(content)
  const header = tarHeader({ name, size: bytes.length, mode: 0o777, mtime: 1, ...(kind ? { kind } : {}) })
  if (type !== undefined) {
    header.write(type, header.length - 512 + 156, 'latin1')
    const last = header.subarray(header.length - 512)
    last.write('        ', 148, 'latin1')
    const sum = last.reduce((total, byte) => total + byte, 0)
    last.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  }
  return Buffer.concat([header, bytes, tarPadding(bytes.length)])
}

const zstd = (bytes: Buffer): Buffer =>
  zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })

/** Restores a file with these bytes into a new folder and returns the folder. */
async function restore(bytes: Buffer, known = ['1']): Promise<string> {
  const dataDir = join(here, `try-${++tries}`)
  const file = `${dataDir}.backup`
  writeFileSync(file, bytes)
  const staging = join(dataDir, 'restore')
  await unpack(
    { kind: 'restore', file, staging, storages: {}, dataDir, knownMigrations: known },
    () => undefined,
  )
  return staging
}

const refused = (bytes: Buffer, sentence: string | RegExp): Promise<void> =>
  expect(restore(bytes)).rejects.toThrow(sentence)

describe('a valid backup', () => {
  it('is restored, with long names and names outside of ASCII', async () => {
    const long = `data/uploads/ü/${'n'.repeat(200)}.txt`
    const staging = await restore(
      zstd(
        archive([
          { name: long, content: 'x' },
          { name: 'data/empty', kind: 'folder' },
        ]),
      ),
    )
    expect(readFileSync(join(staging, long.slice('data/'.length)), 'utf8')).toBe('x')
    expect(readdirSync(staging).sort()).toEqual(['deskforge.db', 'empty', 'repositories', 'uploads'])
  })
})

describe('a backup with a path outside of its target', () => {
  it.each([
    '/etc/passwd',
    'data/../../outside',
    'data/uploads/../../../outside',
    'storages/default/../../outside',
    'storages/../outside/x',
    'data/deskforge.db',
    'data/restore.json',
    'data/backups/x.backup',
    'data/uploads\\..\\x',
    'data//x',
    'data/uploads/line\nbreak',
    'elsewhere',
  ])('is refused: %s', async (name) => {
    await refused(zstd(archive([{ name, content: 'x' }])), /with a name that is not allowed/)
    expect(existsSync(join(here, 'outside'))).toBe(false)
  })

  it.each(['1', '2', '3', '4', '6', 'L', 'g'])('is refused: an entry of type %s', async (type) => {
    await refused(zstd(archive([{ name: 'data/link', content: '', type }])), /neither a file nor a folder/)
  })
})

describe('a backup with wrong declarations', () => {
  it('is refused if it has more content than its head declares', async () => {
    const entries = [
      { name: 'data/a', content: 'x' },
      { name: 'data/b', content: 'y' },
    ]
    await refused(zstd(archive(entries, { files: 2 })), /more content than its head announces/)
    await refused(
      zstd(archive(entries, { bytes: database.length + 1 })),
      /more content than its head announces/,
    )
  })

  it('is refused if it would fill the disk', async () => {
    await refused(zstd(archive([], { bytes: 2 * 1024 ** 3 })), /far more data than its size allows/)
    const header = tarHeader({ name: 'data/huge', size: 10 * 1024 ** 4, mode: 0o600, mtime: 0 })
    const start = archive([], { files: 2 }).subarray(0, -TAR_END.length - 1024)
    await refused(
      zstd(Buffer.concat([start, header])),
      /more content than its head announces|damaged or cut off/,
    )
  })

  it('is refused if a path occurs twice, or is both a file and a folder', async () => {
    await refused(
      zstd(
        archive([
          { name: 'data/a', content: 'x' },
          { name: 'data/a', content: 'x' },
        ]),
      ),
      /twice/,
    )
    await refused(
      zstd(
        archive([
          { name: 'data/a/b', content: 'x' },
          { name: 'data/a', content: 'x' },
        ]),
      ),
      /twice/,
    )
  })

  it('is refused if a newer release wrote it', async () => {
    await refused(zstd(archive([], { format: 2 })), /newer release/)
    await expect(restore(zstd(archive([])), ['0'])).rejects.toThrow(/newer release.*migration 1/)
  })

  it('is refused with an unreadable header', async () => {
    for (const head of [
      { files: -1 },
      { bytes: '7' },
      { storages: ['../x'] },
      { counts: 7 },
      { created_at: 'then' },
      { format: null },
    ])
      await refused(zstd(archive([], head)), /it has no description/)
  })
})

describe('a damaged backup', () => {
  it('is refused with the name of the changed file', async () => {
    await refused(
      zstd(archive([{ name: 'data/a', content: 'x', digest: sha256('y') }])),
      /data\/a does not match its checksum/,
    )
  })

  it('is refused wherever it is truncated', async () => {
    const whole = zstd(archive([{ name: 'data/a', content: 'some content' }]))
    for (const length of [0, 3, 10, whole.length >> 1, whole.length - 1])
      await refused(whole.subarray(0, length), /not a backup of Deskforge|damaged or cut off/)
    const tar = archive([{ name: 'data/a', content: 'some content' }])
    for (const length of [100, 512, 1500, tar.length - 1536, tar.length - 1024, tar.length - 512])
      await refused(zstd(tar.subarray(0, length)), /no backup|damaged or cut off/)
  })

  it('is refused if the list of checksums does not match its files', async () => {
    await refused(zstd(archive([], {}, { sums: 'end 2 8192\n' })), /damaged or cut off/)
    await refused(zstd(archive([], {}, { sums: `${sha256('')} x\n`.repeat(5) })), /damaged/)
    await refused(zstd(archive([], {}, { end: Buffer.concat([TAR_END, Buffer.from('more')]) })), /damaged/)
  })

  it('is refused if its database is not one of Deskforge', async () => {
    await refused(zstd(archive([], {}, { database: Buffer.from('no database') })), /database in the backup/)
    const broken = Buffer.from(database)
    broken.fill(7, 4096)
    await refused(zstd(archive([], {}, { database: broken })), /database in the backup/)
  })

  it('is refused if it is another kind of file', async () => {
    await refused(Buffer.from('PK\x03\x04 something else'), /not a backup of Deskforge/)
    await refused(zstd(Buffer.from('text')), /damaged or cut off/)
    await refused(
      zstd(Buffer.concat([block({ name: 'readme.txt', content: 'x' }), TAR_END])),
      /with a name that is not allowed/,
    )
  })
})
