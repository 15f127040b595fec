import { describe, expect, it } from 'vitest'

import { crons } from '../../../server/domains/ci/environments/service.ts'
import { stopEnvironmentsOf } from '../../../server/domains/ci/environments/stop.ts'
import { onBehalfOf } from '../../../server/domains/planning/index.ts'
import * as jobs from '../../../server/domains/ci/jobs/store.ts'
import { frozenClock } from '../../../server/lib/clock.ts'
import { world, type TestUser } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'
import { pipelinesWithGit } from './deploying.ts'

const DAY = 86_400_000
const clock = frozenClock('2026-11-22T08:00:00.000Z')
const here = await world({ clock })
const root = here.as(here.root)
const pipelines = await pipelinesWithGit(here)
const { project } = pipelines
const at = `/projects/${project.id}/environments`
const developer = here.make.user()
await here.make.member('projects', project.id, developer, 30)
const levels = { push_access_level: 40, merge_access_level: 40 }
await root.post(`/projects/${project.id}/protected_branches`, { name: 'main', ...levels })
const tick = (name: string) => crons.find((cron) => cron.name === name)!.run(here.ctx())

/** Deploys to environments, each with a manual stop job. */
async function deploy(names: readonly string[], more: { ref?: string; stops?: readonly string[] } = {}) {
  const { ref = 'main', stops = ['stop'] } = more
  const config = names.flatMap((name, index) => [
    `deploy ${index}: { script: x, environment: { name: ${name}, on_stop: ${stops[0]} ${index}, auto_stop_in: 1 day } }`,
    ...stops.map(
      (stop) => `${stop} ${index}: { script: x, when: manual, environment: { name: ${name}, action: stop } }`,
    ),
  ])
  const pipeline = await pipelines.make(config.join('\n'), { ref })
  for (const index of names.keys()) pipelines.end(pipeline, `deploy ${index}`)
  await here.drain()
  return pipeline
}

const named = async (name: string) => (await root.get(`${at}?name=${name}`)).body[0]
const stateOf = async (name: string) => (await named(name)).state
const stop = async (name: string, params: object = {}, who: TestUser = here.root) => {
  const { id } = await named(name)
  return here.as(who).post(`${at}/${id}/stop`, params)
}

describe('stopping an environment', () => {
  it('runs its stop job as the current user, and finishes with that job', async () => {
    const pipeline = await deploy(['plain'])
    const answer = await stop('plain', {}, developer)
    // Users who may not push to a protected branch may not run its jobs.
    expect(answer).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
    expect(pipelines.job(pipeline, 'stop 0').status).toBe('manual')
    expect(await stop('plain')).toMatchObject({ status: 200, body: { state: 'stopping' } })
    expect(pipelines.job(pipeline, 'stop 0')).toMatchObject({ status: 'pending', user_id: 1 })
    expect(await stop('plain')).toMatchObject({ status: 200, body: { state: 'stopping' } })
    pipelines.end(pipeline, 'stop 0')
    await here.drain()
    expect(await stateOf('plain')).toBe('stopped')
    const times = here
      .ctx()
      .db.one<{ auto_stop_at: null }>('SELECT auto_stop_at FROM environments WHERE name = ?', 'plain')
    expect(times).toEqual({ auto_stop_at: null })
  })

  it('becomes available again if the job fails, and runs no job with force', async () => {
    const pipeline = await deploy(['stubborn'])
    await stop('stubborn')
    pipelines.end(pipeline, 'stop 0', 'failed')
    await here.drain()
    expect(await stateOf('stubborn')).toBe('stopping')
    const retried = await root.post(
      `/projects/${project.id}/jobs/${pipelines.job(pipeline, 'stop 0').id}/retry`,
    )
    expect(retried.status).toBe(201)
    expect(await stop('stubborn', { force: true })).toMatchObject({ status: 200, body: { state: 'stopped' } })
    const other = await deploy(['forced'])
    expect(await stop('forced', { force: true }, developer)).toMatchObject({ body: { state: 'stopped' } })
    expect(pipelines.job(other, 'stop 0').status).toBe('manual')
  })

  it('runs the stop job of the last deployment, as a retry if it already ran', async () => {
    const first = await deploy(['again'])
    const second = await deploy(['again'])
    await stop('again')
    expect(pipelines.job(first, 'stop 0').status).toBe('manual')
    pipelines.end(second, 'stop 0')
    await here.drain()
    expect(await stateOf('again')).toBe('stopped')
    // A new deployment makes the environment available again.
    await root.post(`/projects/${project.id}/jobs/${pipelines.job(second, 'deploy 0').id}/retry`)
    expect(await stateOf('again')).toBe('stopped')
    pipelines.end(second, 'deploy 0')
    await here.drain()
    expect(await stateOf('again')).toBe('available')
    const { id } = pipelines.job(second, 'stop 0')
    await stop('again')
    expect(pipelines.job(second, 'stop 0').id).toBeGreaterThan(id)
    expect(jobs.byId(here.ctx().db, id)!.retried).toBe(true)
  })

  it('follows a stop job that was started by hand, and waits for all running ones', async () => {
    const pipeline = await deploy(['byhand'], { stops: ['stop', 'sweep'] })
    await root.post(`/projects/${project.id}/jobs/${pipelines.job(pipeline, 'sweep 0').id}/play`)
    await stop('byhand')
    pipelines.end(pipeline, 'sweep 0')
    await here.drain()
    expect(await stateOf('byhand')).toBe('stopping')
    pipelines.end(pipeline, 'stop 0')
    await here.drain()
    expect(await stateOf('byhand')).toBe('stopped')
  })

  it('runs the stop job of the last existing pipeline, despite later deployments through the API', async () => {
    const pipeline = await deploy(['kept'])
    const gone = await deploy(['kept'])
    expect((await root.delete(`/projects/${project.id}/pipelines/${gone}`)).status).toBe(204)
    const sha = pipelines.commit()
    const byHand = { environment: 'kept', sha, ref: 'main', tag: false, status: 'success' }
    expect((await root.post(`/projects/${project.id}/deployments`, byHand)).status).toBe(201)
    expect((await stop('kept')).body.state).toBe('stopping')
    expect(pipelines.job(pipeline, 'stop 0').status).toBe('pending')
  })

  it('finds an environment that was renamed', async () => {
    const pipeline = await deploy(['before'])
    await root.put(`${at}/${(await named('before')).id}`, { name: 'afterwards' })
    await stop('afterwards')
    pipelines.end(pipeline, 'stop 0')
    await here.drain()
    expect(await stateOf('afterwards')).toBe('stopped')
  })
})

describe('environments stop automatically', () => {
  it('at their stop time', async () => {
    await deploy(['timed', 'kept'])
    await tick('ci.stop_environments')
    expect(await stateOf('timed')).toBe('available')
    here.ctx().db.exec(`UPDATE environments SET auto_stop_at = NULL WHERE name = 'kept'`)
    clock.advance(DAY)
    await tick('ci.stop_environments')
    expect([await stateOf('timed'), await stateOf('kept')]).toEqual(['stopping', 'available'])
    // An environment that is still stopping after a week becomes available again.
    await tick('ci.recover_environments')
    expect(await stateOf('timed')).toBe('stopping')
    clock.advance(8 * DAY)
    await tick('ci.recover_environments')
    expect(await stateOf('timed')).toBe('available')
  })

  it('when their branch is deleted, unless another ref was deployed since', async () => {
    fill(here, project, [{ branch: 'feature', from: 'refs/heads/main', files: { a: 'b' } }])
    await deploy(['of-branch', 'moved-on'], { ref: 'feature' })
    await deploy(['moved-on', 'of-main'])
    expect((await root.delete(`/projects/${project.id}/repository/branches/feature`)).status).toBe(204)
    await here.drain()
    const states = await Promise.all(['of-branch', 'moved-on', 'of-main'].map(stateOf))
    expect(states).toEqual(['stopping', 'available', 'available'])
  })

  it('of a merge request, except those that other pipelines created too', async () => {
    const changes = () => Promise.resolve(null)
    const merge_request = { id: 4711, iid: 1, predefined: [], changes, source_project_id: project.id }
    const order = { source: 'merge_request_event' as const, merge_request, ref: 'main' }
    await deploy(['shared'])
    const config = ['of-request', 'shared', 'others'].map(
      (name, index) =>
        `deploy ${index}: { script: x, rules: [{ when: always }], environment: { name: ${name} } }`,
    )
    await pipelines.make(config.join('\n'), order)
    await pipelines.make(config.at(-1)!, { ...order, merge_request: { ...merge_request, id: 4712 } })
    const request = { merge_request_id: 4711 }
    stopEnvironmentsOf(onBehalfOf(here.ctx(), here.make.user().id)!, project, request)
    expect(await stateOf('of-request')).toBe('available')
    stopEnvironmentsOf(pipelines.ctx(), project, request)
    const states = await Promise.all(['of-request', 'shared', 'others'].map(stateOf))
    expect(states).toEqual(['stopped', 'available', 'available'])
  })

  it('when the merge request is closed', async () => {
    const config =
      'app: { script: x, rules: [{ if: $CI_MERGE_REQUEST_IID }], environment: review/$CI_MERGE_REQUEST_IID }'
    fill(here, project, [{ branch: 'idea', from: 'refs/heads/main', files: { '.gitlab-ci.yml': config } }])
    const requests = `/projects/${project.id}/merge_requests`
    const params = { source_branch: 'idea', target_branch: 'main', title: 'An idea' }
    const { body: request } = await root.post(requests, params)
    await here.drain()
    const made = await root.get(`${requests}/${request.iid}/pipelines`)
    pipelines.end(made.body[0].id, 'app')
    await here.drain()
    expect(await named(`review/${request.iid}`)).toMatchObject({
      state: 'available',
      last_deployment: { ref: `refs/merge-requests/${request.iid}/head`, status: 'success' },
    })
    await root.put(`${requests}/${request.iid}`, { state_event: 'close' })
    await here.drain()
    expect(await stateOf(`review/${request.iid}`)).toBe('stopped')
  })

  it('without recent deployments on request', async () => {
    await root.post(at, { name: 'stale' })
    clock.advance(20 * DAY)
    await root.post(at, { name: 'fresh' })
    const ask = (before: string) => root.post(`${at}/stop_stale`, { before })
    const long = new Date(clock.now() - 10 * DAY).toISOString()
    expect(await ask(long)).toMatchObject({
      status: 200,
      body: { message: 'Successfully requested stop for all stale environments' },
    })
    await here.drain()
    expect([await stateOf('stale'), await stateOf('fresh')]).toEqual(['stopped', 'available'])
    const wrong = { status: 400, body: { message: '400 Bad request - Invalid Date' } }
    expect(await ask(new Date(clock.now() - 6 * DAY).toISOString())).toMatchObject(wrong)
    expect(await ask('2010-01-01')).toMatchObject(wrong)
    expect((await root.post(`${at}/stop_stale`)).body).toEqual({ error: 'before is missing' })
  })
})
