import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { reserveIds } from '../../../../server/domains/import_export/projects/import/store.ts'
import { countLines, linesOf } from '../../../../server/domains/import_export/projects/import/engine/lines.ts'
import { Writer } from '../../../../server/domains/import_export/projects/import/engine/writer.ts'
import type { Fields } from '../../../../server/domains/import_export/relations/relation.ts'
import { world, type TestUser, type World } from '../../../support/world.ts'
import { takeInto } from './codec.ts'

let w: World
let project: { id: number }
let dora: TestUser

function request(iid: number, more: Fields = {}): Fields {
  return {
    iid,
    title: `Change ${iid}`,
    description: 'Words',
    state: 'closed',
    source_branch: `side-${iid}`,
    target_branch: 'main',
    source_project_id: 7,
    target_project_id: 7,
    author_id: 11,
    created_at: '2024-01-02T03:04:05.678Z',
    updated_at: '2024-02-02T03:04:05.678Z',
    ...more,
  }
}

const member = (id: number, username: string, public_email: string | null = null): Fields => ({
  access_level: 30,
  source_type: 'Project',
  user_id: id,
  user: { id, username, public_email },
})

beforeAll(async () => {
  w = await world()
  dora = w.make.user({ username: 'dora' })
})

const fresh = async () => {
  project = await w.make.project()
  return project.id
}
const requests = async (id: number) =>
  (await w.as(w.root).get(`/projects/${id}/merge_requests?order_by=created_at&sort=asc&per_page=100`)).body

describe('records of an archive', () => {
  it('become rows, with authors who are found by name', async () => {
    const id = await fresh()
    const taken = await takeInto(w, id, {
      project_members: [member(11, 'dora')],
      merge_requests: [
        request(4, {
          notes: [
            { note: 'Hello', author_id: 11, created_at: '2024-01-03T00:00:00.000Z', author: { name: 'D' } },
            { note: 'Bye', author_id: 12, created_at: '2024-01-04T00:00:00.000Z', author: { name: 'E' } },
          ],
          label_links: [{ label: { title: 'bug', color: '#ff0000' } }],
          milestone: { iid: 3, title: 'v1', state: 'active' },
        }),
        request(9, {
          label_links: [{ label: { title: 'bug', color: '#ff0000' } }],
          milestone: { title: 'v1' },
        }),
      ],
    })
    expect(taken).toMatchObject({
      counts: { merge_requests: { fetched: 2, imported: 2 } },
      failures: 0,
      failed: [],
    })
    const [first, second] = await requests(id)
    expect(first).toMatchObject({
      iid: 4,
      author: { username: 'dora' },
      labels: ['bug'],
      milestone: { title: 'v1', iid: 3 },
      user_notes_count: 2,
    })
    expect(second).toMatchObject({ iid: 9, labels: ['bug'], milestone: { id: first.milestone.id } })
    const notes = await w.as(w.root).get(`/projects/${id}/merge_requests/4/notes?sort=asc`)
    expect(notes.body.map((note: { author: { username: string } }) => note.author.username)).toEqual([
      'dora',
      'root',
    ])
    // The next IID follows those of the archive.
    expect(
      w
        .ctx()
        .db.one(
          'SELECT last_value FROM internal_ids WHERE project_id = ? AND usage = ?',
          id,
          'merge_requests',
        ),
    ).toEqual({ last_value: 9 })
  })

  it('belong to the importing user if that user is not an administrator', async () => {
    const { id } = await w.make.project({ owner: dora })
    await takeInto(
      w,
      id,
      { project_members: [member(11, 'root')], merge_requests: [request(1)] },
      { importer: dora },
    )
    expect((await requests(id))[0]).toMatchObject({ author: { username: 'dora' } })
  })

  it('are skipped if they are invalid, and reported', async () => {
    const id = await fresh()
    const { failed, counts, failures } = await takeInto(w, id, {
      merge_requests: [
        request(1),
        '{"iid": 2, "title": ',
        '[1]',
        request(3, { title: '' }),
        request(4, { state: 'dancing' }),
        request(1, { notes: [{ note: 'twice', author_id: 1 }] }),
        request(5, { timelogs: [{ time_spent: 'long' }, { time_spent: 60 }] }),
      ],
    })
    expect((await requests(id)).map((request: { iid: number }) => request.iid)).toEqual([1, 5])
    expect(counts['merge_requests']).toEqual({ fetched: 7, imported: 2 })
    expect(failures).toBe(6)
    const named = failed.map((failure) => [
      failure.relation_name,
      failure.line_number,
      failure.exception_class,
    ])
    expect(named).toEqual(
      expect.arrayContaining([
        ['merge_requests', 2, 'JSON::ParserError'],
        ['merge_requests', 3, 'JSON::ParserError'],
        ['merge_requests', 4, 'ActiveRecord::RecordInvalid'],
        ['merge_requests', 5, 'ActiveRecord::RecordInvalid'],
        ['merge_requests', 6, 'ActiveRecord::RecordNotUnique'],
        ['timelogs', 7, 'ActiveRecord::RecordInvalid'],
      ]),
    )
    expect(
      w.ctx().db.one("SELECT count(*) AS notes FROM notes WHERE project_id = ? AND note = 'twice'", id),
    ).toEqual({ notes: 0 })
  })
})

describe('a batch', () => {
  const labels = (db: ReturnType<World['ctx']>['db'], id: number): string[] =>
    db
      .many<{ title: string }>('SELECT title FROM labels WHERE project_id = ? ORDER BY id', id)
      .map(({ title }) => title)

  it('is written in many transactions, each record completely or not at all', async () => {
    const id = await fresh()
    const { db } = w.ctx()
    const sql =
      'INSERT INTO labels (id, project_id, title, color, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)'
    const LONG = 4000
    const first = reserveIds(db, 'labels', LONG + 4)
    const row = (index: number, title: string) => [first + index, id, title, '#ffffff', 'then', 'then']
    // The long record fails at its very end, after most of it was written.
    const long = Array.from({ length: LONG }, (_, index) => row(index + 1, `long ${index}`))
    const values = [
      row(0, 'before'),
      ...long,
      row(LONG + 1, 'before'),
      row(LONG + 2, 'after'),
      row(LONG + 3, 'last'),
    ]
    const writer = new Writer(db)
    const generation = db.generation
    const failures = await writer.write({
      statements: [{ sql, table: 'labels', kind: 'insert' }],
      operations: values.map(() => 0),
      values,
      ends: [1, LONG + 2, LONG + 3, LONG + 4],
      origins: [1, 2, 3, 4].map((number) => ({ relation: 'labels', line: number })),
      failures: [],
    })
    expect(failures).toMatchObject([
      { relation: 'labels', line: 2, exception_class: 'ActiveRecord::RecordNotUnique' },
    ])
    expect(labels(db, id)).toEqual(['before', 'after', 'last'])
    expect(db.generation - generation).toBeGreaterThan(3)
  })

  it('is aborted together with the import', async () => {
    const id = await fresh()
    const { db } = w.ctx()
    const writer = new Writer(db, AbortSignal.abort(new Error('It was canceled.')))
    const sql = 'UPDATE projects SET description = ? WHERE id = ?'
    const batch = {
      kind: 'batch' as const,
      statements: [{ sql, table: 'projects', kind: 'update' as const }],
      operations: [0],
      values: [['never', id]],
      ends: [1],
      origins: [{ relation: 'project', line: 1 }],
      failures: [],
    }
    await expect(writer.write(batch)).rejects.toThrow('It was canceled.')
    expect(db.one('SELECT description FROM projects WHERE id = ?', id)).not.toEqual({ description: 'never' })
  })

  it('has IDs that are reserved for it', async () => {
    const id = await fresh()
    const { db } = w.ctx()
    const block = reserveIds(db, 'labels', 10)
    const made = (await w.as(w.root).post(`/projects/${id}/labels`, { name: 'own', color: '#ffffff' })).body
    expect(made.id).toBe(block + 10)
    expect(reserveIds(db, 'labels', 1)).toBe(block + 11)
    expect(() => reserveIds(db, 'issue_labels', 1)).toThrow('may use an id again')
  })
})

describe('lines of a file', () => {
  it('are split at line ends, whatever the chunks are', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deskforge-lines-'))
    const file = join(folder, 'lines')
    const long = 'ü'.repeat(300_000)
    writeFileSync(file, `one\n\n${long}\nlast`)
    const found: unknown[] = []
    for await (const lines of linesOf(file)) found.push(...lines)
    expect(found).toEqual([
      { number: 1, text: 'one' },
      { number: 2, text: '' },
      { number: 3, text: long },
      { number: 4, text: 'last' },
    ])
    expect(await countLines(file)).toBe(4)
    rmSync(folder, { recursive: true })
  })
})
