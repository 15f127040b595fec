import { describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { world } from '../../support/world.ts'
import { pipelinesWithGit } from '../ci/deploying.ts'
import { keys, listen, PROJECT_KEYS, recorded, USER_KEYS } from './recorded.ts'

const clock = frozenClock('2026-11-22T08:00:00.000Z')
const here = await world({ clock })
const pipelines = await pipelinesWithGit(here)
const { project } = pipelines
const sha = pipelines.commit()
const root = here.as(here.root)
const at = `/projects/${project.id}/deployments`
const url = `${here.url}/root/${project.path}`
const fields = { environment: 'production', sha, ref: 'main', tag: false }

describe('deployments', () => {
  it('store no event without a listener', async () => {
    expect(await recorded(here, null, () => root.post(at, { ...fields, status: 'running' }))).toEqual([])
  })

  it('have events when they start and finish', async () => {
    listen(here, { project_id: project.id })
    const [begun] = await recorded(here, 'deployment', () => root.post(at, { ...fields, status: 'running' }))
    const { payload } = begun!
    expect(begun).toMatchObject({ project_id: project.id, actor_id: 1, ref: 'main' })
    expect(payload).toEqual({
      object_kind: 'deployment',
      status: 'running',
      status_changed_at: '2026-11-22 08:00:00 UTC',
      deployment_id: expect.any(Number),
      deployable_id: null,
      deployable_url: null,
      environment: 'production',
      environment_slug: 'production',
      environment_external_url: null,
      project: expect.objectContaining({ id: project.id, web_url: url }),
      short_sha: sha.slice(0, 8),
      user: expect.objectContaining({ username: 'root' }),
      user_url: `${here.url}/root`,
      commit_url: `${url}/-/commit/${sha}`,
      commit_title: expect.any(String),
      ref: 'main',
    })
    expect([keys(payload.project), keys(payload.user)]).toEqual([PROJECT_KEYS, USER_KEYS])
    clock.advance(5000)
    const [ended] = await recorded(here, 'deployment', () =>
      root.put(`${at}/${payload.deployment_id}`, { status: 'failed' }),
    )
    expect(ended!.payload).toEqual({
      ...payload,
      status: 'failed',
      status_changed_at: '2026-11-22 08:00:05 UTC',
    })
  })

  it('of jobs name the job; waiting and skipped ones have no event', async () => {
    let id = 0
    const events = await recorded(here, 'deployment', async () => {
      id = await pipelines.make(`
ship:
  environment: { name: staging, url: https://staging.example.test }
  script: make ship`)
      pipelines.start(id, 'ship')
      clock.advance(1000)
      pipelines.end(id, 'ship')
    })
    const job = pipelines.job(id, 'ship')
    const seen = events.map(({ payload }) => [payload.status, payload.environment, payload.deployable_id])
    expect(seen).toEqual([
      ['running', 'staging', job.id],
      ['success', 'staging', job.id],
    ])
    expect(events[1]!.payload).toMatchObject({
      deployable_url: `${url}/-/jobs/${job.id}`,
      environment_external_url: 'https://staging.example.test',
      status_changed_at: '2026-11-22 08:00:06 UTC',
    })
    const skipped = await recorded(here, 'deployment', async () => {
      const other = await pipelines.make(`
stages: [one, two]
fails: { stage: one, script: make }
ships: { stage: two, script: make, environment: staging }`)
      pipelines.end(other, 'fails', 'failed')
    })
    expect(skipped).toEqual([])
  })
})
