import { describe, expect, it } from 'vitest'

import { deleteMarked } from '../../../server/domains/projects/lifecycle/deletion.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const clock = frozenClock('2026-03-01T12:00:00.000Z')
const { as, root, make, ctx, drain } = await world({ clock })
const owner = make.user({ username: 'owner' })
const DAY = 86_400_000
const settings = (params: object) => as(root).put('/application/settings', params)

describe('DELETE /projects/:id with a delay', () => {
  it('marks, archives and renames the project, and deletes it after the delay', async () => {
    await settings({ delayed_project_deletion: true, deletion_adjourned_period: 3 })
    const { id } = await make.project({ owner, name: 'Old', path: 'old' })
    const received: string[] = []
    const stop = ctx().events.watch((name) => isOfSubscriber(name) || received.push(name))
    const { status, body } = await as(owner).delete(`/projects/${id}`)
    stop()
    expect([status, body]).toEqual([202, { message: '202 Accepted' }])
    expect(received).toEqual(['project.updated', 'project.renamed', 'project.deletion_marked'])
    expect((await as(owner).get(`/projects/${id}`)).body).toMatchObject({
      path: `old-deleted-${id}`,
      name: `Old-deleted-${id}`,
      archived: true,
      marked_for_deletion_at: '2026-03-01',
      marked_for_deletion_on: '2026-03-01',
    })
    expect((await as(owner).get('/projects/owner%2Fold')).status).toBe(301)
    const again = await as(owner).delete(`/projects/${id}`)
    expect([again.status, again.body]).toEqual([
      400,
      { message: 'Project has been already marked for deletion' },
    ])
    expect((await as(owner).post(`/projects/${id}/unarchive`)).status).toBe(400)
    clock.advance(2 * DAY)
    deleteMarked(ctx())
    expect((await as(owner).get(`/projects/${id}`)).status).toBe(200)
    clock.advance(DAY)
    deleteMarked(ctx())
    await drain()
    expect((await as(owner).get(`/projects/${id}`)).status).toBe(404)
    expect((await as(owner).get('/projects/owner%2Fold')).status).toBe(404)
  })

  it('deletes at once on confirmation', async () => {
    const { id } = await make.project({ owner, name: 'Sure', path: 'sure' })
    const at = `/projects/${id}`
    const early = await as(owner).delete(`${at}?permanently_remove=true&full_path=owner/sure`)
    expect([early.status, early.body]).toEqual([
      400,
      { message: 'Project must be marked for deletion first.' },
    ])
    await as(owner).delete(at)
    const wrong = await as(owner).delete(`${at}?permanently_remove=true&full_path=owner/sure`)
    expect([wrong.status, wrong.body]).toEqual([
      400,
      { message: '`full_path` is incorrect. You must enter the complete path for the project.' },
    ])
    const right = await as(owner).delete(`${at}?permanently_remove=true&full_path=owner/sure-deleted-${id}`)
    expect(right.status).toBe(202)
    expect((await as(owner).get(at)).status).toBe(404)
  })

  it('deletes at once with a delay of 0 days, or with the delay disabled', async () => {
    for (const params of [
      { delayed_project_deletion: true, deletion_adjourned_period: 0 },
      { delayed_project_deletion: false, deletion_adjourned_period: 7 },
    ]) {
      await settings(params)
      const { id } = await make.project({ owner })
      expect((await as(owner).delete(`/projects/${id}`)).status).toBe(202)
      expect((await as(owner).get(`/projects/${id}`)).status).toBe(404)
    }
    await settings({ delayed_project_deletion: true, deletion_adjourned_period: 7 })
    expect((await settings({ deletion_adjourned_period: 91 })).body).toEqual({
      message: { deletion_adjourned_period: ['must be less than or equal to 90'] },
    })
  })
})

describe('POST /projects/:id/restore', () => {
  it("restores the project's name, path and state", async () => {
    const received: string[] = []
    const { id } = await make.project({ owner, name: 'Kept', path: 'kept' })
    await as(owner).post(`/projects/${id}/archive`)
    await as(owner).delete(`/projects/${id}`)
    const stop = ctx().events.watch((name) => isOfSubscriber(name) || received.push(name))
    const { status, body } = await as(owner).post(`/projects/${id}/restore`)
    stop()
    expect(status).toBe(201)
    expect(body).toMatchObject({
      path: 'kept',
      name: 'Kept',
      archived: true,
      marked_for_deletion_at: null,
      marked_for_deletion_on: null,
    })
    expect(received).toContain('project.restored')
    expect((await as(owner).get('/projects/owner%2Fkept')).body.id).toBe(id)
    const again = await as(owner).post(`/projects/${id}/restore`)
    expect([again.status, again.body]).toEqual([400, { message: 'Project has not been marked for deletion' }])
  })

  it('refuses if the path is taken', async () => {
    const first = await make.project({ owner, name: 'Again', path: 'again' })
    await as(owner).delete(`/projects/${first.id}`)
    await make.project({ owner, name: 'Again', path: 'again' })
    const { status, body } = await as(owner).post(`/projects/${first.id}/restore`)
    expect([status, body.message]).toEqual([
      400,
      'The name or path of the project has been taken since it was deleted.',
    ])
  })

  it('is limited to owners', async () => {
    const { id } = await make.project({ owner, visibility: 'public' })
    await as(owner).delete(`/projects/${id}`)
    expect((await as(make.user()).post(`/projects/${id}/restore`)).status).toBe(403)
    expect((await as(null).post(`/projects/${id}/restore`)).status).toBe(401)
  })
})
