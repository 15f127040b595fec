import { describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'

const { as, root, make, ctx, url } = await world()
const ada = make.user({ username: 'ada' })
const PNG = new Blob([Buffer.from('89504e470d0a1a0a0000', 'hex')])
const project = await make.project({ owner: ada, topics: ['Rust', 'tools'], visibility: 'public' })
const two = await make.project({ owner: ada, topics: ['rust'] })
const topicsOf = async (id: number) => (await as(ada).get(`/projects/${id}`)).body.topics
const all = async (query = '') =>
  (await as(null).get(`/topics${query}`)).body.map((topic: { name: string }) => topic.name)
const idOf = (name: string) => ctx().db.one<{ id: number }>('SELECT id FROM topics WHERE name = ?', name)!.id

describe('topics of projects', () => {
  it('are topics of the instance, unique regardless of case', async () => {
    expect(await topicsOf(two.id)).toEqual(['Rust'])
    expect((await as(null).get('/topics')).body).toEqual([
      {
        id: idOf('rust'),
        name: 'Rust',
        title: 'Rust',
        description: null,
        total_projects_count: 2,
        avatar_url: null,
      },
      expect.objectContaining({ name: 'tools', total_projects_count: 1 }),
    ])
  })

  it('change with the project, by both parameters, and are deleted with it', async () => {
    await as(ada).put(`/projects/${two.id}`, { tag_list: 'web, Zig,web' })
    expect(await topicsOf(two.id)).toEqual(['Zig', 'web'])
    expect(await all()).toEqual(['Rust', 'tools', 'Zig', 'web'])
    await as(ada).put(`/projects/${two.id}`, { topics: [] })
    expect(await topicsOf(two.id)).toEqual([])
    expect(await all('?without_projects=true')).toEqual(['Zig', 'web'])
    const deletedProject = await make.project({ owner: ada, topics: ['web'] })
    await as(ada).delete(`/projects/${deletedProject.id}`)
    expect(await all('?without_projects=true')).toContain('web')
  })

  it('find projects by name and by id', async () => {
    const ids = async (query: string) =>
      (await as(ada).get(`/projects?${query}`)).body.map((row: { id: number }) => row.id)
    expect(await ids('topic=RUST,tools')).toEqual([project.id])
    expect(await ids('topic=rust,web')).toEqual([])
    expect(await ids(`topic_id=${idOf('tools')}`)).toEqual([project.id])
    expect(await ids('topic_id=4711')).toEqual([])
  })
})

describe('GET /topics', () => {
  it('searches, pages and shows a topic', async () => {
    expect(await all('?search=OO')).toEqual(['tools'])
    const { headers, body } = await as(null).get('/topics?per_page=1&page=2')
    expect([headers.get('x-total'), body.length]).toEqual(['4', 1])
    expect((await as(null).get(`/topics/${idOf('tools')}`)).body.name).toBe('tools')
    const missing = await as(null).get('/topics/4711')
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Not found' }])
  })
})

describe('POST and PUT /topics', () => {
  it('are limited to administrators', async () => {
    for (const user of [null, ada]) {
      const status = user ? 403 : 401
      expect((await as(user).post('/topics', { name: 'x', title: 'X' })).status).toBe(status)
      expect((await as(user).put('/topics/1', { title: 'X' })).status).toBe(status)
      expect((await as(user).delete('/topics/1')).status).toBe(status)
      const ids = { source_topic_id: 1, target_topic_id: 2 }
      expect((await as(user).post('/topics/merge', ids)).status).toBe(status)
    }
  })

  it('create and change a topic with a picture; projects show its new name', async () => {
    const form = new FormData()
    form.set('name', 'games')
    form.set('title', 'Games')
    form.set('description', 'To play')
    form.set('avatar', PNG, 'pic.png')
    const { status, body } = await as(root).post('/topics', form)
    expect(status).toBe(201)
    const avatar_url = `${url}/uploads/-/system/topic/avatar/${body.id}/pic.png`
    expect(body).toMatchObject({ name: 'games', title: 'Games', description: 'To play', avatar_url })
    const removed = await as(root).put(`/topics/${body.id}`, { avatar: '', title: 'Play' })
    expect(removed.body).toMatchObject({ avatar_url: null, title: 'Play', name: 'games' })
    const renamed = await as(root).put(`/topics/${idOf('tools')}`, { name: 'gear' })
    expect([renamed.status, renamed.body.name]).toEqual([200, 'gear'])
    expect(await topicsOf(project.id)).toEqual(['Rust', 'gear'])
  })

  const refused: [string, object, object][] = [
    ['a missing title', { name: 'x' }, { error: 'title is missing' }],
    ['a taken name', { name: 'RUST', title: 'x' }, { message: { name: ['has already been taken'] } }],
    [
      'blanks',
      { name: ' ', title: ' ' },
      { message: { name: ["can't be blank"], title: ["can't be blank"] } },
    ],
    [
      'a name of two lines',
      { name: 'a\nb', title: 'x' },
      { message: { name: ['has characters that are not allowed'] } },
    ],
    [
      'a long description',
      { name: 'x', title: 'x', description: 'd'.repeat(1025) },
      { message: { description: ['is too long (maximum is 1024 characters)'] } },
    ],
    ['a text for a picture', { name: 'x', title: 'x', avatar: 'x' }, { error: 'avatar is invalid' }],
  ]
  it.each(refused)('refuse %s', async (_name, params, answer) => {
    const result = await as(root).post('/topics', params)
    expect([result.status, result.body]).toEqual([400, answer])
  })

  it('refuse an empty change, a taken name, and an unknown topic', async () => {
    expect((await as(root).put(`/topics/${idOf('gear')}`, {})).body.error).toMatch(/at least one parameter/)
    expect((await as(root).put(`/topics/${idOf('gear')}`, { name: 'rust' })).status).toBe(400)
    expect((await as(root).put(`/topics/${idOf('gear')}`, { name: 'GEAR' })).body.name).toBe('GEAR')
    expect((await as(root).put('/topics/4711', { title: 'x' })).status).toBe(404)
  })
})

describe('POST /topics/merge and DELETE /topics/:id', () => {
  it('merge two topics', async () => {
    await as(ada).put(`/projects/${two.id}`, { topics: ['crab'] })
    const [crab, rust] = [idOf('crab'), idOf('rust')]
    const same = await as(root).post('/topics/merge', { source_topic_id: rust, target_topic_id: rust })
    expect([same.status, same.body]).toEqual([
      400,
      { message: 'The source topic and the target topic are identical.' },
    ])
    const { status, body } = await as(root).post('/topics/merge', {
      source_topic_id: crab,
      target_topic_id: rust,
    })
    expect([status, body.name, body.total_projects_count]).toEqual([201, 'Rust', 2])
    expect(await topicsOf(two.id)).toEqual(['Rust'])
    expect((await as(null).get(`/topics/${crab}`)).status).toBe(404)
    const unknown = await as(root).post('/topics/merge', { source_topic_id: crab, target_topic_id: rust })
    expect(unknown.status).toBe(404)
  })

  it('delete a topic from its projects', async () => {
    const id = idOf('rust')
    expect((await as(root).delete(`/topics/${id}`)).status).toBe(204)
    expect(await topicsOf(two.id)).toEqual([])
    expect(await topicsOf(project.id)).toEqual(['GEAR'])
    expect((await as(root).delete(`/topics/${id}`)).status).toBe(404)
  })
})
