import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { archiveOf, importForm } from './archive-of.ts'

const { as, root, make, drain, dataDir } = await world()
const ada = make.user({ username: 'ada' })
const dev = make.user({ username: 'dev' })
let project: { id: number }
const archive = await archiveOf({
  'tree/project/issues.ndjson': [1, 2, 3]
    .map((iid) => JSON.stringify({ iid, title: `From the archive ${iid}`, state: 'opened', author_id: 5 }))
    .join('\n'),
  'tree/project/milestones.ndjson': '{"iid":1,"title":"v1","state":"active"}\n',
})
const importing = (fields: Record<string, string>, user: typeof ada | null = ada, bytes = archive) =>
  as(user).post(
    '/projects/import-relation',
    importForm(bytes, { path: 'ada/target', relation: 'issues', ...fields }),
  )
const titles = async () =>
  (await as(ada).get(`/projects/${project.id}/issues?sort=asc`)).body.map(
    (issue: { title: string }) => issue.title,
  )

beforeAll(async () => {
  await as(root).put('/application/settings', { project_import_limit: 0 })
  project = await make.project({ owner: ada, path: 'target', name: 'Target' })
  await make.member('projects', project.id, dev, 30)
  await as(ada).post(`/projects/${project.id}/issues`, { title: 'My own' })
})

describe('POST /projects/import-relation', () => {
  it('imports missing records, and keeps existing ones', async () => {
    const { status, body } = await importing({})
    expect([status, body]).toEqual([
      201,
      {
        id: body.id,
        project_path: 'ada/target',
        relation: 'issues',
        status: 'created',
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    const again = await importing({})
    expect([again.status, again.body]).toEqual([
      409,
      { message: 'A relation import is already in progress for this project' },
    ])
    await drain()
    expect(await titles()).toEqual(['My own', 'From the archive 2', 'From the archive 3'])
    const { body: list } = await as(ada).get(`/projects/${project.id}/relation-imports`)
    expect(list).toEqual([{ ...body, status: 'finished', updated_at: expect.any(String) }])
    // The next IID follows those of the archive.
    expect((await as(ada).post(`/projects/${project.id}/issues`, { title: 'Next' })).body.iid).toBe(4)
    expect((await as(ada).get(`/projects/${project.id}/milestones`)).body).toEqual([])
    await importing({ relation: 'milestones' })
    await drain()
    expect((await as(ada).get(`/projects/${project.id}/milestones`)).body).toHaveLength(1)
    expect(await titles()).toHaveLength(4)
  })

  it('fails for an invalid archive, and leaves nothing on disk', async () => {
    const bad = await archiveOf({ x: { type: 'symlink', linkname: '/etc' } })
    expect((await importing({}, ada, bad)).status).toBe(201)
    await drain()
    const { body: list } = await as(ada).get(`/projects/${project.id}/relation-imports?per_page=1`)
    expect(list[0].status).toBe('failed')
    expect(readdirSync(join(dataDir, 'imports'))).toEqual([])
    await expect.poll(() => readdirSync(join(dataDir, 'tmp'))).toEqual([])
    expect(await titles()).toHaveLength(4)
  })

  const refused: [string, Record<string, string>, () => typeof ada | null, number, object][] = [
    ['visitors', {}, () => null, 401, { message: '401 Unauthorized' }],
    ['who may not', {}, () => dev, 403, { message: '403 Forbidden' }],
    ['who does not see it', {}, () => make.user(), 404, { message: '404 Project Not Found' }],
    ['no such project', { path: 'ada/none' }, () => ada, 404, { message: '404 Project Not Found' }],
    ['an id', { path: '1' }, () => ada, 404, { message: '404 Project Not Found' }],
    [
      'another relation',
      { relation: 'labels' },
      () => ada,
      400,
      { error: 'relation does not have a valid value' },
    ],
  ]
  it.each(refused)('refuses %s', async (_name, fields, user, status, body) => {
    const answer = await importing(fields, user())
    expect([answer.status, answer.body]).toEqual([status, body])
  })

  it('refuses other files than archives, and limits its list to maintainers', async () => {
    expect((await importing({}, ada, Buffer.from('text'))).body).toEqual({ error: 'file is invalid' })
    expect((await as(dev).get(`/projects/${project.id}/relation-imports`)).status).toBe(403)
  })
})
