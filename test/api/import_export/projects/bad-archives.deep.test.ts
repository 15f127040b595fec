import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { archiveOf, importForm } from './archive-of.ts'

const { as, root, make, drain, ctx, dataDir } = await world()
const ada = make.user({ username: 'ada' })
const good = {
  'tree/project/labels.ndjson': '{"title":"bug","color":"#ff0000","type":"ProjectLabel"}\n',
  'tree/project/issues.ndjson': '{"iid":1,"title":"One","state":"opened","author_id":1}\n',
}
const whole = await archiveOf(good)
const noise = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 7919) % 251))

/** Archives with the reason why their import fails. */
const bad: [string, Buffer, RegExp][] = [
  ['is cut off', whole.subarray(0, whole.length - 40), /cut off/],
  [
    'is cut off in the middle of a file',
    gzipSync((await plain({ big: noise })).subarray(0, 100_000)),
    /cut off|damaged/,
  ],
  ['is no tar', gzipSync(noise), /./],
  ['is empty', gzipSync(Buffer.alloc(0)), /./],
  ['is damaged', damaged(whole), /damaged|cut off/],
  ['has an absolute path', await archiveOf({ x: { name: '/etc/cron.d/x', size: 0 } }), /./],
  ['has a parent path', await archiveOf({ x: { name: '../../outside', size: 0 } }), /./],
  ['has a parent path in the middle', await archiveOf({ x: { name: './a/../../../outside', size: 0 } }), /./],
  ['has a hard link', await archiveOf({ x: { type: 'link', linkname: '/etc/passwd' } }), /./],
  ['has a device', await archiveOf({ x: { type: 'character-device', devmajor: 1, devminor: 5 } }), /./],
  ['has a link that leads out', await archiveOf({ x: { type: 'symlink', linkname: '/etc' } }), /./],
  [
    'writes through a link',
    await archiveOf({ 'tree/l': { type: 'symlink', linkname: '../../..' }, 'tree/l/x': 'y' }),
    /./,
  ],
  ['has the same file twice', await archiveOf({ a: 'x', './a': 'y' }), /./],
  ['has no version', await archiveOf({ VERSION: null }), /VERSION/],
  [
    'has another version',
    await archiveOf({ VERSION: '0.1.9\n' }),
    /^Import version mismatch: Required 0\.2\.4 but was 0\.1\.9$/,
  ],
  ['has no tree', await archiveOf({ 'tree/project.json': null }), /project\.json/],
  ['has a broken project', await archiveOf({ 'tree/project.json': '{"description":' }), /./],
  ['has a list for a project', await archiveOf({ 'tree/project.json': '[1]' }), /./],
  ['has a file that is no bundle', await archiveOf({ ...good, 'project.bundle': 'not a bundle' }), /./],
  ['has a wiki that is no bundle', await archiveOf({ ...good, 'project.wiki.bundle': noise }), /./],
  [
    'has a folder for a bundle',
    await archiveOf({ 'project.bundle': { type: 'directory' } }),
    /folder where a file/,
  ],
]

async function plain(entries: Record<string, Buffer>): Promise<Buffer> {
  const { gunzipSync } = await import('node:zlib')
  return gunzipSync(await archiveOf(entries))
}

function damaged(archive: Buffer): Buffer {
  const copy = Buffer.from(archive)
  copy.fill(0x55, 60, 90)
  return copy
}

const TABLES = [
  'labels',
  'issues',
  'merge_requests',
  'milestones',
  'notes',
  'releases',
  'snippets',
  'uploads',
]

describe('an invalid archive', () => {
  const made = new Map<string, number>()
  beforeAll(async () => {
    await as(root).put('/application/settings', { project_import_limit: 0 })
    for (const [at, [name, archive]] of bad.entries()) {
      const { status, body } = await as(ada).post(
        '/projects/import',
        importForm(archive, { path: `bad-${at}` }),
      )
      if (status !== 201) throw new Error(`An archive that ${name} was refused at once.`)
      made.set(name, body.id)
    }
    await drain()
  })

  it.each(bad)(
    'that %s makes the import fail, with a sentence as the error',
    async (name, _archive, pattern) => {
      const id = made.get(name)!
      const { body } = await as(ada).get(`/projects/${id}/import`)
      expect([body.import_status, body.import_error]).toEqual(['failed', expect.stringMatching(pattern)])
      expect(body.import_error).toMatch(/^[A-Z].*/)
      expect(body.import_error).not.toContain(dataDir)
      expect(body.import_error).not.toMatch(/\n|\bat \/|node:|undefined|ENOENT|SQLITE|JSON at position/)
      const { db } = ctx()
      for (const table of TABLES.filter((name) => has(name)))
        expect([table, db.many(`SELECT * FROM ${table} WHERE project_id = ?`, id)]).toEqual([table, []])
      const { body: refs } = await as(ada).get(`/projects/${id}/repository/branches`)
      expect(refs).toEqual([])
      const { body: project } = await as(ada).get(`/projects/${id}`)
      expect(project).toMatchObject({ visibility: 'private', empty_repo: true, description: null })
    },
  )

  it('leaves nothing on disk', () => {
    for (const folder of ['imports', 'tmp'])
      expect(existsSync(join(dataDir, folder)) ? readdirSync(join(dataDir, folder)) : []).toEqual([])
    expect(existsSync('/etc/cron.d/x')).toBe(false)
    expect(existsSync(join(dataDir, '..', 'outside'))).toBe(false)
  })

  function has(table: string): boolean {
    const columns = ctx().db.many<{ name: string }>('SELECT name FROM pragma_table_info(?)', table)
    return columns.some(({ name }) => name === 'project_id')
  }
})

describe('an archive that is too large', () => {
  const importing = async (archive: Buffer, path: string) => {
    const answer = await as(ada).post('/projects/import', importForm(archive, { path }))
    await drain()
    return answer.body.id === undefined ? answer : as(ada).get(`/projects/${answer.body.id}/import`)
  }

  it('when it is unpacked makes the import fail', async () => {
    await as(root).put('/application/settings', { max_decompressed_archive_size: 1 })
    const { body } = await importing(await archiveOf({ zeros: Buffer.alloc(3 * 1024 * 1024) }), 'bomb')
    expect(body).toMatchObject({
      import_status: 'failed',
      import_error: expect.stringMatching(/1 MB|too large/i),
    })
    await as(root).put('/application/settings', { max_decompressed_archive_size: 25_600 })
    expect(readdirSync(join(dataDir, 'tmp'))).toEqual([])
  })

  it('for the settings is refused before it is stored', async () => {
    await as(root).put('/application/settings', { max_import_size: 1 })
    const random = Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.alloc(1024 * 1024 + 1)])
    const answer = await as(ada).post('/projects/import', importForm(random, { path: 'huge' }))
    expect([answer.status, answer.body]).toEqual([413, { message: 'File is larger than 1 MB' }])
    await as(root).put('/application/settings', { max_import_size: 0 })
    await expect.poll(() => readdirSync(join(dataDir, 'tmp'))).toEqual([])
  })
})

describe('invalid records', () => {
  it('are skipped and reported, and the rest is imported', async () => {
    const lines = [
      '{"iid":1,"title":"Good","state":"opened","author_id":5}',
      'not json',
      '{"iid":2,"title":null,"state":"opened"}',
      '[]',
      'null',
      '{"iid":"three","title":{"a":1},"state":"weird"}',
      `{"iid":4,"title":"${'x'.repeat(5000)}","state":"opened"}`,
      '{"iid":1,"title":"The same number","state":"opened"}',
      '{"iid":6,"title":"Last","state":"closed","author_id":5}',
    ]
    const archive = await archiveOf({ 'tree/project/issues.ndjson': lines.join('\n') })
    const { body } = await as(ada).post('/projects/import', importForm(archive, { path: 'some' }))
    await drain()
    const { body: done } = await as(ada).get(`/projects/${body.id}/import`)
    expect(done).toMatchObject({ import_status: 'finished', import_error: null })
    const failed = done.failed_relations as {
      relation_name: string
      line_number: number
      exception_message: string
    }[]
    expect(
      failed.every((failure) => failure.relation_name === 'issues' && failure.exception_message !== ''),
    ).toBe(true)
    expect(new Set(failed.map((failure) => failure.line_number))).toContain(2)
    const { body: issues } = await as(ada).get(`/projects/${body.id}/issues?sort=asc`)
    const titles = issues.map((issue: { title: string }) => issue.title)
    expect(titles).toContain('Good')
    expect(titles).toContain('Last')
    expect(titles).not.toContain('The same number')
    const { body: page, headers } = await as(ada).get(`/-/projects/${body.id}/import_failures?per_page=1`)
    expect(page).toEqual([failed[0]])
    expect(headers.get('x-total')).toBe(String(failed.length))
    const { body: shown } = await as(ada).get(`/-/projects/${body.id}/import_progress`)
    expect(shown).toMatchObject({
      status: 'finished',
      failures_count: failed.length,
      import_source: 'export.tar.gz',
    })
  })

  it('are listed up to a hundred', async () => {
    const archive = await archiveOf({ 'tree/project/labels.ndjson': '{"title":null}\n'.repeat(150) })
    const { body } = await as(ada).post('/projects/import', importForm(archive, { path: 'many' }))
    await drain()
    const { body: done } = await as(ada).get(`/projects/${body.id}/import`)
    expect([done.import_status, done.failed_relations.length]).toEqual(['finished', 100])
    const { headers } = await as(ada).get(`/-/projects/${body.id}/import_failures`)
    expect(headers.get('x-total')).toBe('150')
  })
})
