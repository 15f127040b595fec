import { afterEach, describe, expect, it } from 'vitest'

import { world, type Answer } from '../../support/world.ts'
import { pipelinesOf } from '../ci/creation-world.ts'

const here = await world()
const admin = here.as(here.root)
const { projectWith, all } = pipelinesOf(here)
const answerOf = ({ status, body }: Answer) => [status, body]
const base = (text: string) => [400, { message: { base: [text] } }]
const limit = (limits: Record<string, number>) =>
  admin.put('/application/plan_limits', { plan_name: 'default', ...limits })

afterEach(() => {
  here.ctx().db.exec('DELETE FROM plan_limits')
})

describe('limits of the plan', () => {
  it('ci_pipeline_size, ci_active_jobs and ci_needs_size_limit: for new pipelines', async () => {
    const project = await projectWith(
      'a: { script: [x] }\nb: { script: [x] }\nc: { script: [x], needs: [a, b] }\n',
    )
    const start = () => admin.post(`/projects/${project.id}/pipeline`, { ref: 'main' })
    await limit({ ci_pipeline_size: 2 })
    expect(answerOf(await start())).toEqual(
      base('Pipeline has too many jobs! Requested 3, but the limit is 2.'),
    )
    const commit = {
      branch: 'main',
      commit_message: 'Push',
      actions: [{ action: 'create', file_path: 'x', content: 'x' }],
    }
    expect((await admin.post(`/projects/${project.id}/repository/commits`, commit)).status).toBe(201)
    await here.drain()
    expect(all(project.id)).toMatchObject([{ status: 'failed', failure_reason: 'size_limit_exceeded' }])
    await limit({ ci_pipeline_size: 3, ci_needs_size_limit: 1 })
    const [status, body] = answerOf(await start())
    expect([status, body.message.base[0]]).toEqual([
      400,
      expect.stringContaining('c: one job can only need 1 others, but you have listed 2.'),
    ])
    await limit({ ci_needs_size_limit: 2, ci_active_jobs: 2 })
    expect((await start()).status).toBe(201)
    expect(answerOf(await start())).toEqual(
      base(
        'Project has too many active jobs created in the last 24 hours! There are 3 active jobs, but the limit is 2.',
      ),
    )
  })

  it('ci_pipeline_schedules: for new schedules', async () => {
    const project = await projectWith(null)
    const add = () =>
      admin.post(`/projects/${project.id}/pipeline_schedules`, {
        description: 'Nightly',
        ref: 'main',
        cron: '0 1 * * *',
      })
    await limit({ ci_pipeline_schedules: 1 })
    expect((await add()).status).toBe(201)
    expect(answerOf(await add())).toEqual(base('Maximum number of pipeline schedules (1) exceeded'))
    await limit({ ci_pipeline_schedules: 0 })
    expect((await add()).status).toBe(201)
  })

  it('ci_registered_group_runners and ci_registered_project_runners: for new runners', async () => {
    const group = await here.make.group()
    const project = await here.make.project()
    await limit({ ci_registered_group_runners: 1, ci_registered_project_runners: 1 })
    for (const [kind, params] of [
      ['group', { runner_type: 'group_type', group_id: group.id }],
      ['project', { runner_type: 'project_type', project_id: project.id }],
    ] as const) {
      expect((await admin.post('/user/runners', params)).status).toBe(201)
      const message = `400 Bad request - Base Maximum number of ci registered ${kind} runners (1) exceeded`
      expect(answerOf(await admin.post('/user/runners', params))).toEqual([400, { message }])
    }
    expect((await admin.post('/user/runners', { runner_type: 'instance_type' })).status).toBe(201)
    const elsewhere = await here.make.project()
    const other = await admin.post('/user/runners', { runner_type: 'project_type', project_id: elsewhere.id })
    expect(
      answerOf(await admin.post(`/projects/${project.id}/runners`, { runner_id: other.body.id })),
    ).toEqual(base('Maximum number of ci registered project runners (1) exceeded'))
  })
})
