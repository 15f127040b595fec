import { afterEach, describe, expect, it } from 'vitest'

import { deleteMarked } from '../../../server/domains/groups/service-deletion.ts'
import { isoDate } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx, drain } = await world()
const ada = make.user({ username: 'ada' })
const bob = make.user({ username: 'bob' })

const settings = (params: object) => as(root).put('/application/settings', params)
afterEach(() => settings({ delayed_group_deletion: true, deletion_adjourned_period: 7 }))

const markedSince = (id: number, day: string) =>
  ctx().db.exec('UPDATE namespaces SET marked_for_deletion_on = ? WHERE id = ?', day, id)

describe('DELETE /groups/:id', () => {
  it('marks the group, which is deleted after the delay', async () => {
    const group = await make.group({ owner: ada })
    const project = await make.project({ owner: ada, namespace_id: group.id })
    const { status, body } = await as(ada).delete(`/groups/${group.id}`)
    expect([status, body]).toEqual([202, { message: '202 Accepted' }])
    const marked = (await as(ada).get(`/groups/${group.id}`)).body
    expect(marked.marked_for_deletion_on).toBe(isoDate(ctx().now))
    const again = await as(ada).delete(`/groups/${group.id}`)
    expect([again.status, again.body]).toEqual([
      400,
      { message: 'Group has been already marked for deletion' },
    ])
    deleteMarked(ctx())
    expect((await as(ada).get(`/groups/${group.id}`)).status).toBe(200)
    markedSince(group.id, '2020-01-01')
    const received: [string, unknown][] = []
    const stop = ctx().events.watch((name, event) => isOfSubscriber(name) || received.push([name, event]))
    deleteMarked(ctx())
    stop()
    expect(received.map(([name]) => name)).toEqual(['project.deleted', 'group.deleted'])
    expect(received[1]![1]).toMatchObject({
      group_id: group.id,
      actor_id: ada.id,
      full_path: group.full_path,
    })
    expect((await as(ada).get(`/groups/${group.id}`)).status).toBe(404)
    expect((await as(ada).get(`/projects/${project.id}`)).status).toBe(404)
    await drain()
  })

  it.each([{ delayed_group_deletion: false }, { deletion_adjourned_period: 0 }])(
    'deletes at once with %o',
    async (params) => {
      await settings(params)
      const group = await make.group({ owner: ada })
      const inner = await make.group({ owner: ada, parent_id: group.id })
      expect((await as(ada).delete(`/groups/${group.id}`)).status).toBe(202)
      expect((await as(ada).get(`/groups/${group.id}`)).status).toBe(404)
      expect((await as(ada).get(`/groups/${inner.id}`)).status).toBe(404)
    },
  )

  it('deletes a marked subgroup at once when the path is confirmed', async () => {
    const top = await make.group({ owner: ada })
    const inner = await make.group({ owner: ada, parent_id: top.id })
    const remove = async (id: number, query: string) => {
      const { status, body } = await as(ada).delete(`/groups/${id}?permanently_remove=true${query}`)
      return [status, body.message]
    }
    expect(await remove(top.id, '')).toEqual([
      400,
      '`permanently_remove` option is only available for subgroups.',
    ])
    expect(await remove(inner.id, '')).toEqual([400, 'Subgroup must be marked for deletion first.'])
    await as(ada).delete(`/groups/${inner.id}`)
    expect(await remove(inner.id, '&full_path=x')).toEqual([
      400,
      '`full_path` is incorrect. You must enter the complete path for the subgroup.',
    ])
    expect(await remove(inner.id, `&full_path=${encodeURIComponent(inner.full_path)}`)).toEqual([
      202,
      '202 Accepted',
    ])
    expect((await as(ada).get(`/groups/${inner.id}`)).status).toBe(404)
  })
})

describe('POST /groups/:id/restore', () => {
  it('restores a marked group', async () => {
    const group = await make.group({ owner: ada })
    await as(ada).delete(`/groups/${group.id}`)
    const { status, body } = await as(ada).post(`/groups/${group.id}/restore`)
    expect([status, body.marked_for_deletion_on]).toEqual([201, null])
    const again = await as(ada).post(`/groups/${group.id}/restore`)
    expect([again.status, again.body]).toEqual([400, { message: 'Group has not been marked for deletion' }])
    markedSince(group.id, '2020-01-01')
    await as(ada).post(`/groups/${group.id}/restore`)
    deleteMarked(ctx())
    expect((await as(ada).get(`/groups/${group.id}`)).status).toBe(200)
  })

  it('is allowed for owners only', async () => {
    const group = await make.group({ owner: ada, visibility: 'public' })
    await make.member('groups', group.id, bob, 40)
    expect((await as(bob).post(`/groups/${group.id}/restore`)).status).toBe(403)
    expect((await as(null).post(`/groups/${group.id}/restore`)).status).toBe(401)
  })
})
