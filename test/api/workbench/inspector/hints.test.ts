import { describe, expect, it } from 'vitest'

import { world } from '../../../support/world.ts'
import { inspectorOf } from './support.ts'

const here = await world()
const root = here.as(here.root)
const inspector = inspectorOf(here)
const project = await here.make.project({ visibility: 'private' })
const stranger = here.make.user({ username: 'stranger' })
await inspector.switchTo({ recording: true })

const kinds = (record: { hints: { kind: string }[] }) => record.hints.map(({ kind }) => kind)

describe('hints', () => {
  it('name parameters that were sent and ignored', async () => {
    const ignored = await root.get('/projects?serach=x&per_page=1&page=1&membership=true&private_token=x')
    expect((await inspector.of(ignored)).hints[0]).toEqual({
      kind: 'ignored_parameters',
      names: ['serach'],
      count: null,
    })
    const body = await root.post(`/projects/${project.id}/labels`, {
      name: 'l',
      color: '#112233',
      colour: 'red',
    })
    expect((await inspector.of(body)).hints).toMatchObject([
      { kind: 'ignored_parameters', names: ['colour'] },
    ])
    const fine = await root.post(`/projects/${project.id}/labels`, { name: 'm', color: '#112233' })
    expect((await inspector.of(fine)).hints).toEqual([])
    expect((await inspector.list('&hint=ignored_parameters')).map(kinds)).toHaveLength(2)
  })

  it('name deprecated parameters and endpoints', async () => {
    const issue = await root.post(`/projects/${project.id}/issues`, { title: 'x', assignee_id: 1 })
    expect((await inspector.of(issue)).hints).toEqual([
      { kind: 'deprecated', names: ['assignee_id'], count: null },
    ])
  })

  it('find a 404 that hides a missing permission, and no other 404', async () => {
    const hidden = await here.as(stranger).get(`/projects/${project.id}`)
    const missing = await here.as(stranger).get('/projects/99999')
    expect([hidden.status, missing.status]).toEqual([404, 404])
    expect(kinds(await inspector.of(hidden))).toEqual(['hidden_by_permission'])
    expect(kinds(await inspector.of(missing))).toEqual([])
  })

  it('find repeated reads without If-None-Match', async () => {
    await root.post(`/projects/${project.id}/issues`, { title: 'first' })
    const first = await root.get(`/projects/${project.id}/issues/1`)
    const again = await root.get(`/projects/${project.id}/issues/1`)
    const wise = await root.get(`/projects/${project.id}/issues/1`, {
      'if-none-match': first.headers.get('etag') ?? '',
    })
    expect([first.status, again.status, wise.status]).toEqual([200, 200, 304])
    expect(kinds(await inspector.of(first))).toEqual([])
    expect(kinds(await inspector.of(again))).toEqual(['no_if_none_match'])
    expect(kinds(await inspector.of(wise))).toEqual([])
  })
})
