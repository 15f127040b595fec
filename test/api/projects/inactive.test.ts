import { describe, expect, it } from 'vitest'

import { handleInactive } from '../../../server/domains/projects/lifecycle/deletion.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const clock = frozenClock('2026-01-15T12:00:00.000Z')
const { as, root, make, ctx } = await world({ clock })
const owner = make.user()
const settings = (params: object) => as(root).put('/application/settings', params)
const at = (day: string) => clock.advance(Date.parse(`${day}T12:00:00.000Z`) - clock.now())

describe('delete_inactive_projects', () => {
  it('warns first, and deletes projects that stay inactive', async () => {
    const quiet = await make.project({ owner, name: 'Quiet' })
    const busy = await make.project({ owner, name: 'Busy' })
    const small = await make.project({ owner, name: 'Small' })
    ctx().db.exec('UPDATE projects SET repository_size = 5000000 WHERE id <> ?', small.id)
    await settings({
      delete_inactive_projects: true,
      inactive_projects_delete_after_months: 4,
      inactive_projects_send_warning_email_after_months: 2,
      inactive_projects_min_size_mb: 3,
    })
    const received: unknown[] = []
    const stop = ctx().events.watch((name, payload) => isOfSubscriber(name) || received.push([name, payload]))
    const warned = (project_id: number, deletion_on: string) => [
      'project.inactivity_warned',
      { project_id, actor_id: null, deletion_on },
    ]
    at('2026-03-10')
    handleInactive(ctx())
    expect(received).toEqual([])
    at('2026-03-20')
    handleInactive(ctx())
    handleInactive(ctx())
    expect(received.splice(0)).toEqual([warned(quiet.id, '2026-05-20'), warned(busy.id, '2026-05-20')])
    // One of the projects becomes active again.
    ctx().db.exec(
      'UPDATE projects SET last_activity_at = ? WHERE id = ?',
      '2026-04-01T00:00:00.000Z',
      busy.id,
    )
    at('2026-05-19')
    handleInactive(ctx())
    expect((await as(owner).get(`/projects/${quiet.id}`)).status).toBe(200)
    at('2026-05-20')
    handleInactive(ctx())
    expect((await as(owner).get(`/projects/${quiet.id}`)).status).toBe(404)
    expect((await as(owner).get(`/projects/${small.id}`)).status).toBe(200)
    expect((await as(owner).get(`/projects/${busy.id}`)).status).toBe(200)
    at('2026-06-02')
    handleInactive(ctx())
    stop()
    expect(received).toContainEqual(warned(busy.id, '2026-08-02'))
  })

  it('does nothing unless it is enabled, and never deletes without a warning', async () => {
    await settings({ delete_inactive_projects: false })
    const before = ctx().db.one('SELECT count(*) AS n FROM projects')
    at('2030-01-01')
    handleInactive(ctx())
    expect(ctx().db.one('SELECT count(*) AS n FROM projects')).toEqual(before)
    const odd = await settings({ inactive_projects_send_warning_email_after_months: 4 })
    expect([odd.status, odd.body]).toEqual([
      400,
      {
        message: {
          inactive_projects_send_warning_email_after_months: ['must be less than 4'],
        },
      },
    ])
  })
})
