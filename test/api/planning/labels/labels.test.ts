import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../../support/world.ts'

let w: World
let reporter: TestUser
let guest: TestUser
let outsider: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let group: any
// oxlint-disable-next-line typescript/no-explicit-any
let subgroup: any
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let at: string

// oxlint-disable-next-line typescript/no-explicit-any
const names = (rows: any[]): string[] => rows.map((row) => row.name)

beforeAll(async () => {
  w = await world()
  reporter = w.make.user({ username: 'reporter' })
  guest = w.make.user({ username: 'guest' })
  outsider = w.make.user({ username: 'outsider' })
  group = await w.make.group()
  subgroup = await w.make.group({ parent_id: group.id })
  project = await w.make.project({ namespace_id: subgroup.id })
  await w.make.member('groups', group.id, reporter, 20)
  await w.make.member('projects', project.id, guest, 10)
  at = `/projects/${project.id}/labels`
})

describe('a label of a project', () => {
  it('is created, read by ID and by title, updated and deleted', async () => {
    const made = await w.as(reporter).post(at, {
      name: 'kind::bug / ü',
      color: '#FFAABB',
      description: 'A **bad** one',
      priority: 2,
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: made.body.id,
      name: 'kind::bug / ü',
      description: 'A **bad** one',
      description_html: 'A <strong>bad</strong> one',
      text_color: '#333333',
      color: '#FFAABB',
      subscribed: false,
      priority: 2,
      is_project_label: true,
    })
    const encoded = encodeURIComponent('kind::bug / ü')
    expect((await w.as(guest).get(`${at}/${encoded}`)).body).toEqual(made.body)
    expect((await w.as(guest).get(`${at}/${made.body.id}`)).body).toEqual(made.body)
    const changed = await w.as(reporter).put(`${at}/${encoded}`, {
      new_name: 'bug',
      color: '#111111',
      description: null,
      priority: null,
    })
    expect(changed.body).toMatchObject({
      id: made.body.id,
      name: 'bug',
      text_color: '#FFFFFF',
      description: null,
      description_html: '',
      priority: null,
    })
    expect((await w.as(reporter).delete(`${at}/bug`)).status).toBe(204)
    expect((await w.as(reporter).get(`${at}/bug`)).body).toEqual({ message: '404 Label Not Found' })
  })

  it.each([
    ['#abc', '#aabbcc', '#333333'],
    ['tomato', '#FF6347', '#FFFFFF'],
    ['RebeccaPurple', '#663399', '#FFFFFF'],
    [' white ', '#FFFFFF', '#333333'],
  ])('has the color %s as %s, with text in %s', async (input, color, text_color) => {
    const made = await w.as(reporter).post(at, { name: `color ${input}`, color: input })
    expect(made.body).toMatchObject({ color, text_color })
  })

  it('returns 400 for an invalid title or color', async () => {
    const post = async (body: object) => {
      const { status, body: answer } = await w.as(reporter).post(at, body)
      return [status, answer]
    }
    const color = '#123456'
    expect(await post({ color })).toEqual([400, { error: 'name is missing' }])
    expect(await post({ name: 'x' })).toEqual([400, { error: 'color is missing' }])
    for (const bad of ['#12345', 'FFAABB', 'constructor', 'rgb(1,2,3)', ''])
      expect(await post({ name: 'x', color: bad })).toEqual([
        400,
        { message: { color: ['must be a valid color code'] } },
      ])
    for (const name of ['a,b', '?'])
      expect(await post({ name, color })).toEqual([400, { message: { title: ['is invalid'] } }])
    expect(await post({ name: ' ', color })).toEqual([400, { message: { title: ["can't be blank"] } }])
    expect(await post({ name: 'x'.repeat(256), color })).toEqual([
      400,
      { message: { title: ['is too long (maximum is 255 characters)'] } },
    ])
    expect(await post({ name: 'x', color, priority: 'high' })).toEqual([
      400,
      { error: 'priority is invalid' },
    ])
  })

  it('returns 409 for a title in use', async () => {
    await w.as(reporter).post(at, { name: 'one', color: 'red' })
    await w.as(reporter).post(at, { name: 'two', color: 'red' })
    const again = await w.as(reporter).post(at, { name: ' one ', color: 'blue' })
    expect([again.status, again.body]).toEqual([409, { message: 'Label already exists' }])
    const renamed = await w.as(reporter).put(`${at}/two`, { new_name: 'one' })
    expect([renamed.status, renamed.body]).toEqual([400, { message: { title: ['has already been taken'] } }])
    expect((await w.as(reporter).put(`${at}/two`, { new_name: 'two' })).status).toBe(200)
    const empty = await w.as(reporter).put(`${at}/two`, {})
    expect([empty.status, empty.body]).toEqual([
      400,
      {
        error:
          'new_name, color, description, priority, lock_on_merge are missing, at least one parameter must be provided',
      },
    ])
    expect((await w.as(reporter).put(`${at}/nowhere`, { color: 'red' })).body).toEqual({
      message: '404 Label Not Found',
    })
  })

  it('is also updated and deleted by the deprecated endpoints', async () => {
    await w.as(reporter).post(at, { name: 'old', color: 'red' })
    const changed = await w.as(reporter).put(at, { name: 'old', new_name: 'older' })
    expect([changed.status, changed.body.name]).toEqual([200, 'older'])
    expect((await w.as(reporter).put(at, { color: 'red' })).body.error).toBe(
      'label_id, name are missing, exactly one parameter must be provided',
    )
    expect((await w.as(reporter).delete(`${at}?name=old`)).status).toBe(404)
    expect((await w.as(reporter).delete(`${at}?name=older`)).status).toBe(204)
  })

  it('cannot be deleted while it is locked', async () => {
    await w.as(reporter).post(at, { name: 'kept', color: 'red', lock_on_merge: true })
    const { status, body } = await w.as(reporter).delete(`${at}/kept`)
    expect([status, body]).toEqual([400, { message: 'Label is locked and was not removed' }])
    await w.as(reporter).put(`${at}/kept`, { lock_on_merge: false })
    expect((await w.as(reporter).delete(`${at}/kept`)).status).toBe(204)
  })

  it('stays when If-Unmodified-Since is before its last change', async () => {
    await w.as(reporter).post(at, { name: 'late', color: 'red' })
    const before = { 'if-unmodified-since': 'Fri, 20 Nov 2020 00:00:00 GMT' }
    expect((await w.as(reporter).delete(`${at}/late`, undefined, before)).status).toBe(412)
  })

  it('returns 304 for a second subscription', async () => {
    const made = await w.as(reporter).post(at, { name: 'followed', color: 'red' })
    const on = await w.as(guest).post(`${at}/followed/subscribe`)
    expect([on.status, on.body.subscribed]).toEqual([201, true])
    expect((await w.as(guest).post(`${at}/${made.body.id}/subscribe`)).status).toBe(304)
    expect((await w.as(reporter).get(`${at}/followed`)).body.subscribed).toBe(false)
    const off = await w.as(guest).post(`${at}/followed/unsubscribe`)
    expect([off.status, off.body.subscribed]).toEqual([201, false])
    expect((await w.as(guest).post(`${at}/followed/unsubscribe`)).status).toBe(304)
    expect((await w.as(guest).post(`${at}/nowhere/subscribe`)).status).toBe(404)
    expect((await w.as(null).post(`${at}/followed/subscribe`)).status).toBe(401)
  })

  it('checks who may read and change it', async () => {
    expect((await w.as(guest).post(at, { name: 'x', color: 'red' })).status).toBe(403)
    expect((await w.as(guest).delete(`${at}/followed`)).status).toBe(403)
    expect((await w.as(outsider).get(at)).body).toEqual({ message: '404 Project Not Found' })
    expect((await w.as(outsider).put(`${at}/followed`, { color: 'red' })).status).toBe(404)
  })
})

describe('the labels of a project with disabled planning', () => {
  it('are visible to members only, or to nobody', async () => {
    const open = await w.make.project({ visibility: 'public' })
    const labels = `/projects/${open.id}/labels`
    await w.as(w.root).post(labels, { name: 'a', color: 'red' })
    expect(names((await w.as(null).get(labels)).body)).toEqual(['a'])
    const levels = async (issues: string, merge_requests: string) => {
      const body = { issues_access_level: issues, merge_requests_access_level: merge_requests }
      await w.as(w.root).put(`/projects/${open.id}`, body)
      return Promise.all([null, outsider, w.root].map(async (user) => (await w.as(user).get(labels)).status))
    }
    expect(await levels('private', 'enabled')).toEqual([200, 200, 200])
    expect(await levels('private', 'disabled')).toEqual([401, 403, 200])
    expect(await levels('disabled', 'disabled')).toEqual([401, 403, 403])
  })
})

describe('labels of groups', () => {
  it('are inherited by subgroups and projects', async () => {
    const made = await w
      .as(reporter)
      .post(`/groups/${group.id}/labels`, { name: 'from above', color: '#000', description: 'Shared' })
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: made.body.id,
        name: 'from above',
        description: 'Shared',
        description_html: 'Shared',
        text_color: '#FFFFFF',
        color: '#000000',
        subscribed: false,
      },
    ])
    await w.as(reporter).post(`/groups/${subgroup.id}/labels`, { name: 'in between', color: '#000' })
    const get = async (path: string) => names((await w.as(reporter).get(path)).body)
    expect(await get(`/groups/${group.id}/labels`)).toEqual(['from above'])
    expect(await get(`/groups/${subgroup.id}/labels`)).toEqual(['from above', 'in between'])
    expect(await get(`/groups/${subgroup.id}/labels?include_ancestor_groups=false`)).toEqual(['in between'])
    expect(await get(`/groups/${group.id}/labels?include_descendant_groups=true`)).toEqual([
      'from above',
      'in between',
    ])
    const all = await get(
      `/groups/${group.id}/labels?include_descendant_groups=yes&only_group_labels=false&per_page=100`,
    )
    expect(all).toContain('one')
    expect(await get(`/groups/${group.id}/labels?only_group_labels=false`)).not.toContain('one')
    expect(await get(`/groups/${subgroup.id}/labels?search=SHAR`)).toEqual(['from above'])
    const inProject = await w.as(guest).get(`${at}?per_page=100`)
    expect(names(inProject.body)).toEqual(names(inProject.body).toSorted())
    expect(inProject.headers.get('x-total')).toBe(String(inProject.body.length))
    const found = inProject.body.find((label: { name: string }) => label.name === 'from above')
    expect(found).toMatchObject({ id: made.body.id, is_project_label: false, priority: null })
    expect(await get(`${at}?include_ancestor_groups=false&search=above`)).toEqual([])
    expect((await w.as(guest).get(`${at}/from%20above`)).status).toBe(200)
    expect((await w.as(guest).get(`${at}/from%20above?include_ancestor_groups=false`)).status).toBe(404)
  })

  it('cannot be duplicated below the group, and are updated only in their group', async () => {
    const again = await w.as(reporter).post(at, { name: 'from above', color: 'red' })
    expect([again.status, again.body]).toEqual([409, { message: 'Label already exists' }])
    await w.as(reporter).post(at, { name: 'mine', color: 'red' })
    const renamed = await w.as(reporter).put(`${at}/mine`, { new_name: 'from above' })
    expect(renamed.body).toEqual({
      message: { title: [`already exists at group level for ${group.name}. Please choose another one.`] },
    })
    expect((await w.as(reporter).put(`${at}/from%20above`, { color: 'red' })).status).toBe(404)
    expect((await w.as(reporter).delete(`${at}/from%20above`)).status).toBe(404)
    const ranked = await w.as(reporter).put(`${at}/from%20above`, { priority: 1 })
    expect([ranked.status, ranked.body.priority]).toEqual([200, 1])
    const changed = await w.as(reporter).put(`/groups/${group.id}/labels/from%20above`, { color: 'red' })
    expect([changed.status, changed.body.color]).toEqual([200, '#FF0000'])
    expect((await w.as(guest).put(`/groups/${group.id}/labels/from%20above`, { color: 'red' })).status).toBe(
      403,
    )
  })

  it('have separate subscriptions in a project and in the group', async () => {
    const inProject = await w.as(guest).post(`${at}/from%20above/subscribe`)
    expect([inProject.status, inProject.body.subscribed]).toEqual([201, true])
    const inGroup = await w.as(guest).get(`/groups/${group.id}/labels/from%20above`)
    expect([inGroup.status, inGroup.body.subscribed]).toEqual([200, false])
    expect((await w.as(guest).post(`/groups/${group.id}/labels/from%20above/subscribe`)).status).toBe(201)
    expect((await w.as(guest).post(`/groups/${group.id}/labels/from%20above/subscribe`)).status).toBe(304)
  })

  it('leave out labels of subgroups and projects that the reader cannot see', async () => {
    const open = await w.make.group({ visibility: 'public' })
    const hidden = await w.make.group({ parent_id: open.id, visibility: 'private' })
    const inside = await w.make.project({ namespace_id: open.id, visibility: 'private' })
    await w.as(w.root).post(`/groups/${open.id}/labels`, { name: 'seen', color: 'red' })
    await w.as(w.root).post(`/groups/${hidden.id}/labels`, { name: 'unseen', color: 'red' })
    await w.as(w.root).post(`/projects/${inside.id}/labels`, { name: 'unseen too', color: 'red' })
    const query = 'include_descendant_groups=true&only_group_labels=false'
    const get = async (user: TestUser | null) =>
      names((await w.as(user).get(`/groups/${open.id}/labels?${query}`)).body)
    expect(await get(null)).toEqual(['seen'])
    expect(await get(outsider)).toEqual(['seen'])
    expect(await get(w.root)).toEqual(['seen', 'unseen', 'unseen too'])
  })
})
