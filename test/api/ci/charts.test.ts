import { beforeAll, describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

// A Thursday.
const instance = await world({ clock: frozenClock('2026-05-14T12:00:00.000Z') })
const { as, make } = instance
const developer = make.user({ username: 'developer' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any

beforeAll(async () => {
  project = await make.project({ name: 'heron' })
  await make.member('projects', project.id, developer, 30)
  const config = 'unit: { script: [check] }'
  fill(instance, project, [
    { files: { '.gitlab-ci.yml': config } },
    { branch: 'side', from: ':1', files: {} },
  ])
  const ran: [ref: string, created_at: string, status: string, duration: number | null][] = [
    ['main', '2026-05-01T00:00:00.000Z', 'success', 1],
    ['main', '2026-05-12T09:00:00.000Z', 'success', 30],
    ['main', '2026-05-12T10:00:00.000Z', 'failed', 90],
    ['side', '2026-05-12T23:59:59.999Z', 'success', 60],
    ['main', '2026-05-12T12:00:00.000Z', 'canceled', 500],
    ['main', '2026-05-14T08:00:00.000Z', 'running', null],
  ]
  for (const [ref, created_at, status, duration] of ran) {
    const { body } = await as(developer).post(`/projects/${project.id}/pipeline`, { ref })
    instance
      .ctx()
      .db.exec(
        'UPDATE ci_pipelines SET created_at = ?, status = ?, duration = ? WHERE id = ?',
        created_at,
        status,
        duration,
        body.id,
      )
  }
})

describe('the pipeline charts', () => {
  const charts = (query = '', user = developer) =>
    as(user).get(`/-/projects/${project.id}/pipelines/charts${query}`)

  it('count pipelines by day, with the median and the longest duration of finished ones', async () => {
    const { status, body } = await charts('?days=3')
    expect(status).toBe(200)
    expect(body).toEqual([
      {
        day: '2026-05-12',
        total: 4,
        success: 2,
        failed: 1,
        canceled: 1,
        median_duration: 60,
        longest_duration: 90,
      },
      {
        day: '2026-05-14',
        total: 1,
        success: 0,
        failed: 0,
        canceled: 0,
        median_duration: null,
        longest_duration: null,
      },
    ])
  })

  it('count by whole weeks, and by branch', async () => {
    const { body } = await charts('?days=10&by=week')
    expect(body).toMatchObject([{ day: '2026-05-11', total: 5 }])
    expect((await charts('?days=14&by=week')).body).toMatchObject([
      { day: '2026-04-27', total: 1 },
      { day: '2026-05-11', total: 5 },
    ])
    expect((await charts('?ref=side')).body).toMatchObject([{ total: 1, median_duration: 60 }])
    expect((await charts('?days=1')).body).toMatchObject([{ day: '2026-05-14' }])
  })

  it('are limited to users who can read pipelines, and to periods up to a year', async () => {
    expect((await charts('', stranger)).status).toBe(404)
    expect((await charts('?days=367')).status).toBe(400)
    expect((await charts('?by=hour')).body).toEqual({ error: 'by does not have a valid value' })
  })
})
