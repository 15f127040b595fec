import { beforeAll, describe, expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { finishJob } from '../../../server/domains/ci/processing/run.ts'
import { fill } from '../repository/fill.ts'
import { makeRunner, take } from './run-job.ts'

const instance = await world()
const { as, make, root } = instance
const developer = make.user({ username: 'developer' })
const stranger = make.user({ username: 'stranger' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any

const CONFIG = `
stages: [build, test]
compile: { stage: build, script: [make] }
lint: { stage: build, script: [lint], allow_failure: true }
unit: { stage: test, script: [check] }
`

beforeAll(async () => {
  project = await make.project({ name: 'heron' })
  await make.member('projects', project.id, developer, 30)
  fill(instance, project, [{ message: 'Take the length once', files: { '.gitlab-ci.yml': CONFIG } }])
  await as(developer).post(`/projects/${project.id}/pipeline`, { ref: 'main' })
})

describe('the pipeline overview', () => {
  const list = (query = '') => as(developer).get(`/-/projects/${project.id}/pipelines${query}`)

  it('shows the commit, the user and the status of each stage', async () => {
    const { status, body, headers } = await list()
    expect(status).toBe(200)
    expect(headers.get('x-total')).toBe('1')
    expect(body[0]).toMatchObject({ status: 'pending', ref: 'main', source: 'api', warnings: false })
    expect(body[0]).toMatchObject({ title: 'Take the length once', user: { username: 'developer' } })
    expect(body[0].stages).toEqual([
      { name: 'build', status: 'pending', warnings: false },
      { name: 'test', status: 'created', warnings: false },
    ])
  })

  it('filters by branch, status, source, user and search text', async () => {
    const [{ sha }] = (await list()).body
    const found = [
      'ref=main',
      'status=pending',
      'source=api',
      'username=Developer',
      'search=AI',
      `search=${sha.slice(0, 7)}`,
    ]
    for (const query of found) expect((await list(`?${query}`)).body, query).toHaveLength(1)
    const none = [
      'ref=other',
      'status=failed',
      'source=push',
      'username=nobody',
      'search=%25',
      `search=${sha.slice(1, 8)}`,
    ]
    for (const query of none) expect((await list(`?${query}`)).body, query).toHaveLength(0)
  })

  it('is limited to users who can read pipelines', async () => {
    const { status } = await as(stranger).get(`/-/projects/${project.id}/pipelines`)
    expect(status).toBe(404)
  })
})

describe('the newest pipelines of commits and default branches', () => {
  it('are returned for the requested commits and projects that the caller can read', async () => {
    const [{ sha, id }] = (await as(developer).get(`/-/projects/${project.id}/pipelines`)).body
    const of = [`${project.id}`, `${project.id}:${sha}`, `${project.id}:${'0'.repeat(40)}`, '999', 'x']
    const query = of.map((commit) => `of[]=${commit}`).join('&')
    const { status, body } = await as(developer).get(`/-/pipeline_states?${query}`)
    expect(status).toBe(200)
    const state = { pipeline_id: id, status: 'pending', warnings: false }
    expect(body).toEqual([
      { of: of[0], ...state },
      { of: of[1], ...state },
    ])
    expect((await as(stranger).get(`/-/pipeline_states?${query}`)).body).toEqual([])
  })
})

describe('the running jobs', () => {
  it('are visible to members of their project, with their runner', async () => {
    const { body: runner } = await as(root).post('/user/runners', {
      runner_type: 'instance_type',
      description: 'workbench',
    })
    expect((await as(developer).get('/-/running_jobs')).body).toEqual([])
    const taken = await as(null).post('/jobs/request', { token: runner.token })
    expect(taken.status).toBe(201)
    const { body } = await as(developer).get('/-/running_jobs')
    expect(body).toMatchObject([
      { name: 'compile', project_path: 'root/heron', runner: 'workbench', usually: null },
    ])
    expect((await as(stranger).get('/-/running_jobs')).body).toEqual([])
    expect((await as(null).get('/-/running_jobs')).status).toBe(401)
  })
})

describe('the failed pipelines', () => {
  it('are the newest of their branches until a newer one starts', async () => {
    const failing = await make.project({ name: 'ibis' })
    fill(instance, failing, [{ files: { '.gitlab-ci.yml': 'check: { script: [exit 1] }\n' } }])
    const begin = async () => (await as(root).post(`/projects/${failing.id}/pipeline`, { ref: 'main' })).body
    const { id } = await begin()
    const { failedPipelines, runningWork } = instance.instance
    expect(failedPipelines()).toEqual([])
    const [job] = (await as(root).get(`/projects/${failing.id}/pipelines/${id}/jobs`)).body
    take(instance, job.id, makeRunner(instance))
    expect(runningWork()).toContainEqual({ kind: 'job', name: 'check in root/ibis' })
    finishJob(instance.ctx(), job, { status: 'failed' })
    await instance.drain()
    const page = `/root/ibis/-/pipelines/${id}`
    expect(failedPipelines()).toEqual([{ name: 'root/ibis (main)', page }])
    await begin()
    expect(failedPipelines()).toEqual([])
  })
})
