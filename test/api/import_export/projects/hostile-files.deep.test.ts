import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, expect, it } from 'vitest'

import { lfsObjectTypes } from '../../../../server/domains/import_export/projects/import/engine/steps/files.ts'
import { world } from '../../../support/world.ts'
import { archiveOf, importForm } from './archive-of.ts'

const w = await world()
const { as, make, drain } = w
const ada = make.user()
const here = mkdtempSync(join(tmpdir(), 'hostile-'))
afterAll(() => rmSync(here, { recursive: true }))

const lines = (...records: object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

async function imported(path: string, entries: Parameters<typeof archiveOf>[0]) {
  const { body } = await as(ada).post('/projects/import', importForm(await archiveOf(entries), { path }))
  await drain()
  const status = await as(ada).get(`/projects/${body.id}/import`)
  return { id: body.id as number, status: status.body }
}

it('files in an archive with the names of internal files are ignored', async () => {
  const forged = lines({
    title: 'x',
    created_at: null,
    file_name: 'x',
    bundle: '../../../x',
    content: '../../x',
  })
  const { status } = await imported('forged', { 'snippets.lines': forged })
  expect(status).toMatchObject({ import_status: 'finished', failed_relations: [] })
  const short = lines({
    title: 'Old',
    content: 'kept\n',
    file_name: 'a.txt',
    created_at: '2020-01-01T00:00:00Z',
  })
  const entries = {
    'snippets.lines': forged,
    'snippet-1.content': 'of a stranger',
    'tree/project/snippets.ndjson': short,
  }
  const { id, status: second } = await imported('short', entries)
  expect(second).toMatchObject({ import_status: 'finished', failed_relations: [] })
  const { body: snippets } = await as(ada).get(`/projects/${id}/snippets`)
  expect(snippets).toMatchObject([{ title: 'Old' }])
  const raw = await as(ada).get(`/projects/${id}/snippets/${snippets[0].id}/raw`)
  expect(raw.text).toBe('kept\n')
})

it('the error for an invalid snippet does not contain its title', async () => {
  const record = { title: 'Private words', content: 'x', file_name: '../../x', visibility_level: 0 }
  const { id, status } = await imported('climbing', {
    'tree/project/snippets.ndjson': lines({ ...record, created_at: '2020-01-01T00:00:00Z' }),
  })
  expect(status.failed_relations).toMatchObject([
    { relation_name: 'snippets', exception_message: 'The content of a snippet could not be imported.' },
  ])
  expect((await as(ada).get(`/projects/${id}/snippets`)).body).toEqual([])
})

it('a snippet with a restricted visibility becomes private', async () => {
  const { root } = w
  const restrict = (levels: string[]) =>
    as(root).put('/application/settings', { restricted_visibility_levels: levels, project_import_limit: 0 })
  expect((await restrict(['public'])).status).toBe(200)
  const record = { title: 'For all', content: 'x', file_name: 'a.txt', visibility_level: 20 }
  const { id } = await imported('narrowed', {
    'tree/project/snippets.ndjson': lines({ ...record, created_at: '2020-01-01T00:00:00Z' }),
  })
  expect((await restrict([])).status).toBe(200)
  expect((await as(ada).get(`/projects/${id}/snippets`)).body).toMatchObject([{ visibility: 'private' }])
})

it('shared runners stay disabled if the group disables them, whatever the archive says', async () => {
  const { body: group } = await as(ada).post('/groups', { name: 'Off', path: 'off' })
  await as(ada).put(`/groups/${group.id}`, { shared_runners_setting: 'disabled_and_unoverridable' })
  const archive = await archiveOf({ 'tree/project.json': '{"shared_runners_enabled":true}' })
  const form = importForm(archive, { path: 'on', namespace: 'off' })
  const { body } = await as(ada).post('/projects/import', form)
  await drain()
  const { body: project } = await as(ada).get(`/projects/${body.id}`)
  expect(project).toMatchObject({ import_status: 'finished', shared_runners_enabled: false })
})

it('a very long description of a label is not rendered', async () => {
  const description = '**a** '.repeat(20_000)
  const entries = {
    'tree/project/labels.ndjson': lines({ title: 'x', description }, { title: 'y', description: '**b**' }),
  }
  const { id } = await imported('book', entries)
  const { body: labels } = await as(ada).get(`/projects/${id}/labels`)
  expect(labels[0]).toMatchObject({ name: 'x', description })
  expect(labels[0].description_html).not.toContain('<strong>')
  expect(labels[1].description_html).toContain('<strong>b</strong>')
})

it("a folder with the name of a relation's file is skipped", async () => {
  const { status } = await imported('folders', { 'tree/project/labels.ndjson': { type: 'directory' } })
  expect(status).toMatchObject({ import_status: 'finished', failed_relations: [] })
})

it('the types of LFS objects are read from a long list, without its unknown content', async () => {
  const oids = Array.from({ length: 3000 }, (_, at) => createHash('sha256').update(String(at)).digest('hex'))
  const file = join(here, 'lfs-objects.json')
  const entries = oids.map(
    (oid, at) => `"${oid}" : [${at % 3 === 0 ? '0' : at % 3 === 1 ? '0, 1' : '2,1,77'}]`,
  )
  writeFileSync(file, `{"__proto__":[1],"x":{"deep":[[1]]},${entries.join(',\n')}}`)
  const types = await lfsObjectTypes(file)
  expect(types.size).toBe(2000)
  expect(oids.slice(0, 3).map((oid) => types.get(oid))).toEqual([undefined, [0, 1], [1, 2]])
  expect(types.get(oids[2999]!)).toEqual([1, 2])
  expect(await lfsObjectTypes(join(here, 'missing'))).toEqual(new Map())
})
