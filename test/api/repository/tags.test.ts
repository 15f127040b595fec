import { beforeEach, describe, expect, it } from 'vitest'

import { shell } from '../../support/git.ts'
import { world } from '../../support/world.ts'
import { fill, watchEvents, onDisk } from './fill.ts'

const instance = await world()
const { as, make } = instance
const developer = make.user({ username: 'developer' })
const reporter = make.user({ username: 'reporter' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let ids: string[]
let at: string

beforeEach(async () => {
  project = await make.project({ visibility: 'private' })
  await make.member('projects', project.id, developer, 30)
  await make.member('projects', project.id, reporter, 20)
  ids = fill(instance, project, [{ files: { a: '1' } }, { files: { a: '2' } }, { files: { a: '3' } }])
  at = `/projects/${project.id}/repository/tags`
})

const names = (body: { name: string }[]) => body.map((tag) => tag.name)
const onTag = (name: string) => shell(onDisk(instance, project), ['cat-file', '-t', `refs/tags/${name}`])

describe('tags', () => {
  it('are created lightweight, or annotated with a message, and published', async () => {
    const received = watchEvents(instance, 'refs.updated')
    const light = await as(developer).post(at, { tag_name: 'v1', ref: 'main' })
    expect(light.status).toBe(201)
    expect(light.body).toEqual({
      name: 'v1',
      message: '',
      target: ids[2],
      commit: expect.objectContaining({ id: ids[2] }),
      release: null,
      protected: false,
    })
    const annotated = await as(developer).post(at, {
      tag_name: 'rel/2',
      ref: ids[0],
      message: 'The second\n',
    })
    expect(annotated.body).toMatchObject({ name: 'rel/2', message: 'The second', commit: { id: ids[0] } })
    expect(annotated.body.target).not.toBe(ids[0])
    expect([onTag('v1'), onTag('rel/2')]).toEqual(['commit', 'tag'])
    expect(shell(onDisk(instance, project), ['cat-file', '-p', 'refs/tags/rel/2'])).toContain(
      'tagger DEVELOPER <developer@example.test>',
    )
    expect(received.map((event) => event['source'])).toEqual(['api', 'api'])
  })

  it('are listed by time, name and version, searched and paged', async () => {
    const tags = [
      ['v1.10', ids[0]],
      ['v1.9', ids[2]],
      ['w', ids[1]],
    ] as const
    for (const [name, target] of tags) shell(onDisk(instance, project), ['tag', name, target!])
    const list = async (query = '') => names((await as(reporter).get(at + query)).body)
    expect(await list()).toEqual(['v1.9', 'w', 'v1.10'])
    expect(await list('?sort=asc')).toEqual(['v1.10', 'w', 'v1.9'])
    expect(await list('?order_by=name&sort=asc')).toEqual(['v1.10', 'v1.9', 'w'])
    expect(await list('?order_by=version&sort=asc')).toEqual(['v1.9', 'v1.10', 'w'])
    expect(await list('?search=^v')).toEqual(['v1.9', 'v1.10'])
    expect(await list('?search=9$')).toEqual(['v1.9'])
    expect(await list('?per_page=2&page=2')).toEqual(['v1.10'])
    const { headers } = await as(reporter).get(`${at}?pagination=keyset&order_by=name&sort=asc&per_page=2`)
    expect(headers.get('link')).toContain('page_token=v1.9')
    expect((await as(reporter).get(`${at}?order_by=size`)).body).toEqual({
      error: 'order_by does not have a valid value',
    })
  })

  it('are found and deleted by name', async () => {
    shell(onDisk(instance, project), ['tag', 'rel/1', ids[0]!])
    expect((await as(reporter).get(`${at}/rel%2F1`)).body.name).toBe('rel/1')
    expect((await as(reporter).delete(`${at}/rel%2F1`)).status).toBe(403)
    expect((await as(developer).delete(`${at}/rel%2F1`)).status).toBe(204)
    for (const bad of ['rel%2F1', '--all', 'a..b', '..']) {
      if (bad === '..') continue
      expect((await as(reporter).get(`${at}/${bad}`)).body).toEqual({ message: '404 Tag Not Found' })
      expect((await as(developer).delete(`${at}/${bad}`)).status).toBe(404)
    }
  })

  it('refuse invalid names and refs', async () => {
    const post = async (tag_name: string, ref = 'main') => {
      const { status, body } = await as(developer).post(at, { tag_name, ref })
      return [status, body.message]
    }
    await post('v1')
    expect(await post('v1')).toEqual([400, 'Tag v1 already exists'])
    expect(await post('v2', 'nope')).toEqual([400, 'Target nope is invalid'])
    for (const name of ['-x', 'a b', 'a..b', '', 'HEAD'])
      expect(await post(name)).toEqual([400, 'Tag name invalid'])
    expect((await post('v1/below'))[0]).toBe(400)
    expect((await as(reporter).post(at, { tag_name: 'x', ref: 'main' })).status).toBe(403)
  })
})
